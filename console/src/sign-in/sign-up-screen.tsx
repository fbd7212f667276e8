import type { SignedUp, VerifiedSignUp } from '@switchroom/contract/sign-up'
import { useState, type FormEvent } from 'react'
import { Link, useLocation } from 'wouter'
import { useSend } from '../api/queries.ts'
import { signIn } from '../api/session.ts'
import { useDiscovery } from '../who/brand.ts'
import { Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { toast } from '../ui/toast.tsx'
import { thisDevice } from './device.ts'
import { SignInFrame } from './sign-in-frame.tsx'

export default function SignUpScreen() {
  const [email, setEmail] = useState<string | null>(null)
  return (
    <SignInFrame title={email === null ? 'Sign up' : 'Verify your email'}>
      {email === null ? <SignUpForm onSent={setEmail} /> : <CodeForm email={email} />}
      <div className="sign-in-links">
        <Link href="/">Back to sign-in</Link>
      </div>
    </SignInFrame>
  )
}

function SignUpForm({ onSent }: { onSent: (email: string) => void }) {
  const [wanted, setWanted] = useState({ org: '', name: '', email: '', person: '', password: '' })
  const { send, busy, error } = useSend()
  const shortest = useDiscovery()?.min_password ?? 0
  const change = (field: keyof typeof wanted) => (value: string) => setWanted({ ...wanted, [field]: value })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const { name, person, ...needed } = wanted
    const body = { ...needed, ...(name && { name }), ...(person && { person }), device: thisDevice() }
    const signedUp = await send<SignedUp>('post', '/v1/signup', body)
    if (signedUp) onSent(signedUp.email)
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <TextField
        label="Organization"
        hint="A short name in lower-case letters, digits and dashes."
        required
        autoFocus
        value={wanted.org}
        onChange={change('org')}
      />
      <TextField label="Organization name" value={wanted.name} onChange={change('name')} />
      <TextField label="Your name" autoComplete="name" value={wanted.person} onChange={change('person')} />
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        required
        value={wanted.email}
        onChange={change('email')}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="new-password"
        required
        hint={shortest > 0 ? `At least ${shortest} characters.` : undefined}
        value={wanted.password}
        onChange={change('password')}
      />
      <Refusal error={error} />
      <Button tone="primary" type="submit" busy={busy}>
        Sign up
      </Button>
    </form>
  )
}

function CodeForm({ email }: { email: string }) {
  const [code, setCode] = useState('')
  const [, goTo] = useLocation()
  const verifying = useSend()
  const resending = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const verified = await verifying.send<VerifiedSignUp>('post', '/v1/signup/verify', { email, code })
    if (!verified) return
    goTo('/', { replace: true })
    signIn(verified.key, 'until the browser closes')
  }
  const resend = async () => {
    if (await resending.send('post', '/v1/signup/resend', { email })) toast('A new code was sent.')
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <p>
        We sent a six-digit code to <strong className="wrap-anywhere">{email}</strong>. It is valid for 15
        minutes.
      </p>
      <TextField
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        autoFocus
        maxLength={6}
        value={code}
        onChange={setCode}
      />
      <Refusal error={verifying.error ?? resending.error} />
      <Button tone="primary" type="submit" busy={verifying.busy}>
        Create organization
      </Button>
      <Button busy={resending.busy} onClick={() => void resend()}>
        Resend code
      </Button>
    </form>
  )
}
