import type { Identity } from '@switchroom/contract/identity'
import type { AcceptedInvitation } from '@switchroom/contract/members'
import { useState, type FormEvent } from 'react'
import { useLocation } from 'wouter'
import { api, path } from '../api/client.ts'
import { useSend } from '../api/queries.ts'
import { signIn } from '../api/session.ts'
import { useDiscovery } from '../who/brand.ts'
import { Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox, TextField } from '../ui/field.tsx'
import { toast } from '../ui/toast.tsx'
import { thisDevice } from './device.ts'
import { KeepSignedIn } from './keep-signed-in.tsx'
import { SignInFrame } from './sign-in-frame.tsx'

/** For invitation and reset links: the token in the address allows to choose the password. The API names no account before that (ID-83). */
export default function InvitationScreen({ token }: { token: string }) {
  const [password, setPassword] = useState('')
  const [isKept, setKept] = useState(false)
  const [areKeysKept, setKeysKept] = useState(false)
  const { send, busy, error } = useSend()
  const [, goTo] = useLocation()
  const shortest = useDiscovery()?.min_password ?? 0
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const wanted = { password, device: thisDevice(), keep_keys: areKeysKept }
    const accepted = await send<AcceptedInvitation>('post', path`/v1/invitations/${token}`, wanted)
    if (!accepted) return
    goTo('/', { replace: true })
    signIn(accepted.key, isKept ? 'until sign-out' : 'until the browser closes')
    void showAccount(accepted)
  }
  return (
    <SignInFrame title="Choose your password">
      <form onSubmit={(event) => void submit(event)}>
        <p>It signs you in to every organization you belong to.</p>
        <TextField
          label="Password"
          type="password"
          autoComplete="new-password"
          required
          autoFocus
          hint={shortest > 0 ? `At least ${shortest} characters.` : undefined}
          value={password}
          onChange={setPassword}
        />
        <KeepSignedIn isKept={isKept} onChange={setKept} />
        <Checkbox
          label="Keep my other sessions"
          hint="Otherwise you are signed out everywhere else, including terminals."
          checked={areKeysKept}
          onChange={setKeysKept}
        />
        <Refusal error={error} />
        <Button tone="primary" type="submit" busy={busy}>
          Create account
        </Button>
      </form>
    </SignInFrame>
  )
}

async function showAccount({ key, member: { email } }: AcceptedInvitation): Promise<void> {
  const { slug } = await api.get<Identity>('/v1/whoami', { key, env: null, isProbe: true })
  toast(`You are signed in to ${slug} as ${email}.`)
}
