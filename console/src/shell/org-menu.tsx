import type { Identity } from '@switchroom/contract/identity'
import type { OwnOrgList, OwnOrg } from '@switchroom/contract/sign-in'
import type { MintedKey } from '@switchroom/contract/keys'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { changeKey, currentSession, signOut } from '../api/session.ts'
import { Answered, Empty, Refusal } from '../ui/answers.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { useWho } from '../who/identity.ts'
import './org-menu.css'

/** Who is signed in and where, and the ways to another org and out. */
export function OrgMenu() {
  const { me, operator } = useWho()
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="org-menu">
      <div className="who">
        <strong>{me?.name || operator?.name || me?.label || 'The platform’s own key'}</strong>
        {me ? (
          <div className="soft">
            {me.slug} {me.visiting ? <Badge tone="warn">visiting</Badge> : null}
          </div>
        ) : null}
      </div>
      <div className="org-buttons">
        {me && me.email !== null ? <Button onClick={() => setOpen(true)}>Switch org</Button> : null}
        <Button onClick={() => leave(me)}>Sign out</Button>
      </div>
      <Dialog title="Switch org" open={isOpen} onClose={() => setOpen(false)}>
        <Orgs onDone={() => setOpen(false)} />
      </Dialog>
    </div>
  )
}

/** This browser forgets the key at once; a person's dies at the gateway too, a program's token lives on. */
function leave(me: Identity | null): void {
  const { key } = currentSession()
  signOut()
  if (!me || me.email === null) return
  const asking = { key, env: null, isProbe: true, keepalive: true }
  void api.post(path`/v1/keys/${me.key_id}/revoke`, undefined, asking).catch(() => {}) // nobody is here to be told
}

function Orgs({ onDone }: { onDone: () => void }) {
  const orgs = useGet<OwnOrgList>('/v1/login/orgs')
  const [wanted, setWanted] = useState('')
  const [, goTo] = useLocation()
  const { send, error, busy } = useSend()
  const enter = async ({ org }: OwnOrg) => {
    const minted = await send<MintedKey>('post', '/v1/login/org', { org })
    if (!minted) return
    onDone()
    goTo('/')
    changeKey(minted.key)
  }
  return (
    <Answered of={orgs}>
      {({ orgs: all }) => {
        const shown = all.filter(({ name, slug }) =>
          `${name} ${slug}`.toLowerCase().includes(wanted.toLowerCase()),
        )
        return (
          <div className="stack">
            {all.length > 8 ? (
              <TextField label="Find" type="search" value={wanted} onChange={setWanted} />
            ) : null}
            <Refusal error={error} />
            {shown.length === 0 ? <Empty title="No org is called that" /> : null}
            <ul className="orgs">
              {shown.map((org) => (
                <li key={org.org}>
                  <div className="grow">
                    <strong>{org.name}</strong> <span className="soft">{org.slug}</span>
                    <div className="soft">
                      {org.member ? org.role : 'not a member: you would visit'}
                      {org.status === 'invited' ? ', invited' : ''}
                    </div>
                  </div>
                  {org.here ? (
                    <Badge tone="good">You are here</Badge>
                  ) : (
                    <Button busy={busy} onClick={() => void enter(org)}>
                      {org.member ? 'Enter' : 'Visit'} <span className="sr-only">{org.name}</span>
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          </div>
        )
      }}
    </Answered>
  )
}
