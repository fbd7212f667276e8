import type { OwnOrgList, OwnOrg } from '@switchroom/contract/sign-in'
import type { MintedKey } from '@switchroom/contract/keys'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { changeKey, signOut } from '../api/session.ts'
import { Answered, Empty, Refusal } from '../ui/answers.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { useWho } from './identity.ts'
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
        <Button onClick={() => void leave(me?.key_id)}>Sign out</Button>
      </div>
      <Dialog title="Switch org" open={isOpen} onClose={() => setOpen(false)}>
        <Orgs onDone={() => setOpen(false)} />
      </Dialog>
    </div>
  )
}

/** The key dies at the gateway too; this browser forgets it whatever the gateway says. */
async function leave(keyId: string | undefined): Promise<void> {
  try {
    if (keyId) await api.post(path`/v1/keys/${keyId}/revoke`, undefined, { isProbe: true })
  } finally {
    signOut()
  }
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
