import { useState, type FormEvent } from 'react'
import { Link } from 'wouter'
import { useSend } from '../api/queries.ts'
import { Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { SignInFrame } from './sign-in-frame.tsx'

export default function ResetScreen() {
  const [email, setEmail] = useState('')
  const [isAsked, setAsked] = useState(false)
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await send('post', '/v1/login/reset', { email })) setAsked(true)
  }
  return (
    <SignInFrame title="Reset password">
      {isAsked ? (
        <div className="sign-in-card" role="status">
          <p>
            If <strong className="wrap-anywhere">{email}</strong> signs in with a password, we sent an email
            with a reset link. The link works once.
          </p>
        </div>
      ) : (
        <form onSubmit={(event) => void submit(event)}>
          <TextField
            label="Email"
            type="email"
            autoComplete="username"
            required
            autoFocus
            value={email}
            onChange={setEmail}
          />
          <Refusal error={error} />
          <Button tone="primary" type="submit" busy={busy}>
            Send reset link
          </Button>
        </form>
      )}
      <div className="sign-in-links">
        <Link href="/">Back to sign-in</Link>
      </div>
    </SignInFrame>
  )
}
