import { useState } from 'react'
import { useLocation } from 'wouter'
import { path } from '../api/client.ts'
import { useSend } from '../api/queries.ts'
import { useCan } from '../who/identity.ts'
import { Refusal } from '../ui/answers.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { toast } from '../ui/toast.tsx'

interface EraseContactProps {
  contact: string
  /** The screen that is left for: this one shows what is gone. */
  thenTo: string
}

/** Forgets a person for good, after one was told what goes and what stays. */
export function EraseContact({ contact, thenTo }: EraseContactProps) {
  const [isAsking, setAsking] = useState(false)
  const [, goTo] = useLocation()
  const { send, busy, error, clear } = useSend()
  const can = useCan()
  if (!can('team')) return null
  const close = () => {
    setAsking(false)
    clear()
  }
  const erase = async () => {
    if (!(await send('delete', path`/v1/contacts/${contact}`))) return
    toast(`${contact} is erased`)
    goTo(thenTo)
  }
  return (
    <>
      <Button tone="danger" onClick={() => setAsking(true)}>
        Erase this person
      </Button>
      <Dialog title={`Erase ${contact}?`} open={isAsking} onClose={close}>
        <p>
          What they said and wrote, their recordings and what was noted of them are erased, in the sandbox and
          in production. A call that goes on is ended.
        </p>
        <p>What they agreed to and whether they may be called stay. It cannot be taken back.</p>
        <Refusal error={error} />
        <div className="row end">
          <Button onClick={close}>Keep them</Button>
          <Button tone="danger" busy={busy} onClick={() => void erase()}>
            Erase for good
          </Button>
        </div>
      </Dialog>
    </>
  )
}
