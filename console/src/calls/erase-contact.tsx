import { useState } from 'react'
import { useLocation } from 'wouter'
import { path } from '../api/client.ts'
import { useSend } from '../api/queries.ts'
import { useCan } from '../who/identity.ts'
import { Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { toast } from '../ui/toast.tsx'

interface EraseContactProps {
  contact: string
  /** Where to go afterwards. */
  thenTo: string
}

/** Erases a contact after a confirmation that says what is deleted and what is kept. */
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
    toast(`${contact} erased.`)
    goTo(thenTo)
  }
  return (
    <>
      <Button tone="danger" onClick={() => setAsking(true)}>
        Erase contact
      </Button>
      <Dialog title={`Erase ${contact}?`} open={isAsking} onClose={close}>
        <p>
          This deletes everything they said and wrote, their recordings and the agent’s memory of them, in the
          sandbox and in production. A live call is ended.
        </p>
        <p>Consent and do-not-call records are kept. This cannot be undone.</p>
        <Refusal error={error} />
        <div className="row end">
          <Button onClick={close}>Cancel</Button>
          <Button tone="danger" busy={busy} onClick={() => void erase()}>
            Erase permanently
          </Button>
        </div>
      </Dialog>
    </>
  )
}
