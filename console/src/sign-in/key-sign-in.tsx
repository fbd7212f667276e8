import { useState, type FormEvent } from 'react'
import { api } from '../api/client.ts'
import { signIn } from '../api/session.ts'
import { Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'

/** With a server token, or with the operator key of a new deployment. */
export default function KeySignIn() {
  const [key, setKey] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      const options = { key: key.trim(), env: null }
      await api.get('/v1/whoami', options).catch((refused: unknown) =>
        api.get('/v1/ops/whoami', options).catch(() => {
          throw refused
        }),
      )
      signIn(key.trim(), 'in this tab')
    } catch (refused) {
      setError(refused as Error)
      setBusy(false)
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <TextField
        label="Key"
        hint="A server token, or the operator key of this deployment. It stays in this tab and is removed when you close it."
        type="password"
        autoComplete="off"
        required
        autoFocus
        value={key}
        onChange={setKey}
      />
      <Refusal error={error} />
      <Button tone="primary" type="submit" busy={busy}>
        Sign in
      </Button>
    </form>
  )
}
