import { useEffect, useSyncExternalStore } from 'react'
import type { AroundNavHandler } from 'wouter'
import { answerLeaving, asksToLeave, isHeldHere, mayLeave, onLeaving } from '../api/leaving.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** Links ask before they lead away from what would be lost; a change of the query alone does not lead away. */
export const askBeforeNavigation: AroundNavHandler = (navigate, to, options) => {
  const target = new URL(to, location.href)
  if (!isHeldHere() || target.pathname === location.pathname) return navigate(to, options)
  void navigateIfOkay()
  async function navigateIfOkay() {
    if (await mayLeave()) navigate(to, options)
  }
}

/** Asks whether to leave what would be lost: also before a reload, and before the tab is closed. */
export function LeavingDialog() {
  const asked = useSyncExternalStore(onLeaving, asksToLeave)
  useEffect(() => {
    const onUnload = (event: BeforeUnloadEvent) => {
      if (isHeldHere()) event.preventDefault()
    }
    addEventListener('beforeunload', onUnload)
    return () => removeEventListener('beforeunload', onUnload)
  }, [])
  return (
    <Dialog title={asked?.title ?? ''} open={asked !== null} onClose={() => answerLeaving(false)}>
      <p>{asked?.text}</p>
      <div className="row end">
        <Button onClick={() => answerLeaving(false)}>Stay</Button>
        <Button tone="danger" onClick={() => answerLeaving(true)}>
          {asked?.leave}
        </Button>
      </div>
    </Dialog>
  )
}
