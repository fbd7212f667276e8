import type { AcceptedInvitation } from '@switchroom/contract/members'
import { useState, type FormEvent } from 'react'
import { useLocation } from 'wouter'
import { path } from '../api/client.ts'
import { useSend } from '../api/queries.ts'
import { signIn } from '../api/session.ts'
import { useDiscovery } from '../who/brand.ts'
import { Refusal } from '../ui/answers.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox, TextField } from '../ui/field.tsx'
import { thisDevice } from './device.ts'
import { KeepSignedIn } from './keep-signed-in.tsx'
import { Door } from './sign-in-frame.tsx'

/** Behind an invitation and behind a reset: the token in the address lets its holder choose the password. */
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
    signIn(accepted.key, { isKept })
  }
  return (
    <Door title="Choose your password">
      <form onSubmit={(event) => void submit(event)}>
        <p>It signs you in here, in every org you belong to.</p>
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
          hint="Otherwise you are signed out everywhere else, terminals included."
          checked={areKeysKept}
          onChange={setKeysKept}
        />
        <Refusal error={error} />
        <Button tone="primary" type="submit" busy={busy}>
          Take my seat
        </Button>
      </form>
    </Door>
  )
}
