import type { MintedKey } from '@switchroom/contract/keys'
import type { OpenOrg, OpenOrgList } from '@switchroom/contract/sign-in'
import type { ProviderOrg, ProviderOrgList } from '@switchroom/contract/sso'
import { useState, type FormEvent } from 'react'
import { api } from '../api/client.ts'
import { signIn } from '../api/session.ts'
import { Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Select, TextField } from '../ui/field.tsx'
import { thisDevice } from './device.ts'
import { KeepSignedIn } from './keep-signed-in.tsx'

export interface PasswordSignInProps {
  /** Called instead of signing this tab in. */
  onKey?: (key: string) => void | Promise<void>
  /** The pairing code of the waiting terminal, passed on to the provider. */
  pairing?: string
}

/** The providers of one email address. */
interface Providers {
  email: string
  orgs: ProviderOrg[]
}

/** Email and password, the choice of an organization, and the organization's single sign-on. */
export function PasswordSignIn({ onKey, pairing }: PasswordSignInProps) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [isKept, setKept] = useState(false)
  const [orgs, setOrgs] = useState<OpenOrg[]>([])
  const [org, setOrg] = useState('')
  const [providers, setProviders] = useState<Providers>({ email: '', orgs: [] })
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)

  const offered = providers.email === email ? providers.orgs : []

  const mint = async () => {
    if (orgs.length === 0) {
      const open = await api.post<OpenOrgList>('/v1/login/orgs', { email, password }, { key: null })
      const [first, ...others] = open.orgs
      if (first && others.length > 0) {
        setOrgs(open.orgs)
        setOrg(first.slug)
        return
      }
    }
    const wanted = { email, password, device: thisDevice(), ...(org !== '' && { org }) }
    const { key } = await api.post<MintedKey>('/v1/login', wanted, { key: null })
    if (onKey) await onKey(key)
    else signIn(key, isKept ? 'until sign-out' : 'until the browser closes')
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    setBusy(true)
    setError(null)
    try {
      await mint()
    } catch (refused) {
      setError(refused as Error)
    } finally {
      setBusy(false)
    }
  }
  const again = () => {
    setOrgs([])
    setOrg('')
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        required
        autoFocus
        value={email}
        onChange={(value) => (setEmail(value), again())}
        onBlur={() => void providersOf(email).then(setProviders)}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(value) => (setPassword(value), again())}
      />
      {orgs.length > 0 ? (
        <Select
          label="Organization"
          hint="You belong to more than one."
          value={org}
          onChange={setOrg}
          options={orgs.map(({ slug, name, role }) => ({ value: slug, label: `${name} (${role})` }))}
        />
      ) : null}
      {onKey ? null : <KeepSignedIn isKept={isKept} onChange={setKept} />}
      <Refusal error={error} />
      <Button tone="primary" type="submit" busy={busy}>
        Sign in
      </Button>
      {offered.map(({ slug, name }) => (
        <a key={slug} className="button" href={providerAddress(slug, pairing)}>
          Single sign-on: {name}
        </a>
      ))}
    </form>
  )
}

function providerAddress(org: string, pairing: string | undefined): string {
  return `/v1/login/sso?${new URLSearchParams({ org, ...(pairing !== undefined && { pairing }) })}`
}

/** No providers if they cannot be read: the password still works. */
async function providersOf(email: string): Promise<Providers> {
  if (!/^[^@]+@[^@]+\.[^@]/.test(email)) return { email, orgs: [] }
  try {
    const { orgs } = await api.post<ProviderOrgList>('/v1/login/sso/discover', { email }, { key: null })
    return { email, orgs }
  } catch {
    return { email, orgs: [] }
  }
}
