import type { Identity } from '@switchroom/contract/identity'
import type { OwnOrgList, OwnOrg } from '@switchroom/contract/sign-in'
import type { MintedKey } from '@switchroom/contract/keys'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { mayLeave } from '../api/leaving.ts'
import { changeKey, currentSession, signOut } from '../api/session.ts'
import { Loaded, Empty, Refusal } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { useWho } from '../who/identity.ts'
import './org-menu.css'

/** The signed-in account, with sign-out and the switch to another organization. */
export function OrgMenu() {
  const { me, operator } = useWho()
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="org-menu">
      <div className="who">
        <strong>{me?.name || operator?.name || me?.label || 'Operator key'}</strong>
        {me ? (
          <div className="soft">
            {me.slug} {me.visiting ? <Badge tone="warn">Operator view</Badge> : null}
          </div>
        ) : null}
      </div>
      <div className="org-buttons">
        {me && me.email !== null ? <Button onClick={() => setOpen(true)}>Switch org</Button> : null}
        <Button onClick={() => void mayLeave().then((isOkay) => isOkay && leave(me))}>Sign out</Button>
      </div>
      <Dialog title="Switch organization" open={isOpen} onClose={() => setOpen(false)}>
        <Orgs onDone={() => setOpen(false)} />
      </Dialog>
    </div>
  )
}

/** Removes the key from this browser; a person's key is also revoked, a server token is not. */
function leave(me: Identity | null): void {
  const { key } = currentSession()
  signOut()
  history.replaceState(null, '', '/') // the next sign-in starts in the sandbox
  if (!me || me.email === null) return
  const options = { key, env: null, isProbe: true, keepalive: true }
  void api.post(path`/v1/keys/${me.key_id}/revoke`, undefined, options).catch(() => {}) // already signed out here
}

function Orgs({ onDone }: { onDone: () => void }) {
  const orgs = useGet<OwnOrgList>('/v1/login/orgs')
  const [wanted, setWanted] = useState('')
  const [, goTo] = useLocation()
  const { send, error, busy } = useSend()
  const enter = async ({ org }: OwnOrg) => {
    if (!(await mayLeave())) return
    const minted = await send<MintedKey>('post', '/v1/login/org', { org })
    if (!minted) return
    onDone()
    goTo('~/')
    changeKey(minted.key)
  }
  return (
    <Loaded of={orgs}>
      {({ orgs: all }) => {
        const shown = all.filter(({ name, slug }) =>
          `${name} ${slug}`.toLowerCase().includes(wanted.toLowerCase()),
        )
        return (
          <div className="stack">
            {all.length > 8 ? (
              <TextField label="Search" type="search" value={wanted} onChange={setWanted} />
            ) : null}
            <Refusal error={error} />
            {shown.length === 0 ? <Empty title="No matching organizations" /> : null}
            <ul className="orgs">
              {shown.map((org) => (
                <li key={org.org}>
                  <div className="grow">
                    <strong>{org.name}</strong> <span className="soft">{org.slug}</span>
                    <div className="soft">
                      {org.member ? org.role : 'Not a member'}
                      {org.status === 'invited' ? ', invited' : ''}
                    </div>
                  </div>
                  {org.here ? (
                    <Badge tone="good">Current</Badge>
                  ) : (
                    <Button busy={busy} onClick={() => void enter(org)}>
                      {org.member ? 'Switch' : 'View as operator'} <span className="sr-only">{org.name}</span>
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          </div>
        )
      }}
    </Loaded>
  )
}
