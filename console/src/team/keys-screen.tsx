import type { KeyEntry, KeyList, ServerToken } from '@switchroom/contract/keys'
import { useState } from 'react'
import { path } from '../api/client.ts'
import { useFilters } from '../api/query-filters.ts'
import { useGet, useSend } from '../api/queries.ts'
import { useCan, useWho } from '../who/identity.ts'
import { Loaded, Empty, Refusal } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Copy } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Switch } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { ServerTokenForm } from './server-token-form.tsx'

const lastUsed: Column<KeyEntry> = {
  title: 'Last used',
  cell: ({ last_used_at }) => (last_used_at === null ? 'Never' : <Time at={last_used_at} />),
}

export default function KeysScreen() {
  const keys = useGet<KeyList>('/v1/keys')
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<ServerToken | null>(null)
  const [revoking, setRevoking] = useState<KeyEntry | null>(null)
  const [{ revoked }, setFilter] = useFilters(['revoked'])
  const isAll = revoked !== ''
  const { me } = useWho()
  const can = useCan()
  const { send, busy, error, clear } = useSend()
  const isPerson = me?.email !== null
  const close = () => {
    setMaking(false)
    setMade(null)
    setRevoking(null)
    clear()
  }
  const revoke = async ({ fingerprint, label }: KeyEntry) => {
    if (!(await send('post', path`/v1/keys/${fingerprint}/revoke`))) return
    toast(`${label} revoked.`)
    close()
  }
  const keyColumn: Column<KeyEntry> = {
    title: 'Key',
    cell: ({ label, fingerprint }) => (
      <>
        {label} {fingerprint === me?.key_id ? <Badge>Current</Badge> : null}
        <div className="soft">{fingerprint}</div>
      </>
    ),
  }
  const revokeColumn = (verb: string): Column<KeyEntry> => ({
    title: '',
    cell: (key) =>
      key.revoked_at !== null ? (
        <Badge tone="bad">Revoked</Badge>
      ) : key.fingerprint === me?.key_id ? null : (
        <Button tone="danger" onClick={() => setRevoking(key)}>
          {verb} <span className="sr-only">{key.label}</span>
        </Button>
      ),
  })
  return (
    <Page
      title="Keys"
      actions={
        isPerson && can('app') ? (
          <Button tone="primary" onClick={() => setMaking(true)}>
            Create server token
          </Button>
        ) : null
      }
    >
      <Switch
        label="Show revoked keys"
        checked={isAll}
        onChange={(isOn) => setFilter('revoked', isOn ? 'yes' : '')}
      />
      <Loaded of={keys}>
        {({ keys: all }) => {
          const shown = all.filter(({ revoked_at }) => isAll || revoked_at === null)
          return (
            <>
              <Section
                title="Server tokens"
                hint="For programs: agents, servers and scripts. One without an end works until it is revoked."
              >
                <Table
                  caption="Server tokens"
                  rows={shown.filter(({ kind }) => kind === 'server')}
                  rowKey={({ fingerprint }) => fingerprint}
                  columns={[
                    keyColumn,
                    { title: 'Scopes', cell: ({ env, scopes }) => `${env}: ${scopes.join(', ')}` },
                    lastUsed,
                    {
                      title: 'Expires',
                      cell: ({ expires_at }) => (expires_at === null ? 'Never' : <Time at={expires_at} />),
                    },
                    revokeColumn('Revoke'),
                  ]}
                  empty={<Empty title="No server tokens" />}
                />
              </Section>
              <Section
                title="Sessions"
                hint="Browsers and terminals that somebody is signed in to, until they sign out. A session opens what its person may do now."
              >
                <Table
                  caption="Sessions"
                  rows={shown.filter(({ kind }) => kind === 'person')}
                  rowKey={({ fingerprint }) => fingerprint}
                  columns={[
                    keyColumn,
                    { title: 'Person', cell: ({ name }) => name ?? 'Unknown' },
                    { title: 'Signed in', cell: ({ created_at }) => <Time at={created_at} /> },
                    lastUsed,
                    revokeColumn('Sign out'),
                  ]}
                  empty={<Empty title="No sessions" />}
                />
              </Section>
            </>
          )
        }}
      </Loaded>
      <Dialog
        title={made ? 'Server token' : 'Create server token'}
        open={isMaking || made !== null}
        onClose={close}
      >
        {made ? (
          <div className="stack" role="status">
            <p>The token for {made.label} is shown only once. Store it like a password.</p>
            <Copy label="token" text={made.key} />
          </div>
        ) : (
          <ServerTokenForm onMade={setMade} />
        )}
      </Dialog>
      <Dialog title="Revoke this key?" open={revoking !== null} onClose={close}>
        {revoking ? (
          <div className="stack">
            <p>{revoking.label} and every copy of it stop working immediately. This cannot be undone.</p>
            <Refusal error={error} />
            <div className="row">
              <Button tone="danger" busy={busy} onClick={() => void revoke(revoking)}>
                Revoke
              </Button>
              <Button onClick={close}>Cancel</Button>
            </div>
          </div>
        ) : null}
      </Dialog>
    </Page>
  )
}
