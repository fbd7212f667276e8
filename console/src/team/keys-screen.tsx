import type { KeyEntry, KeyList, ServerToken } from '@switchroom/contract/keys'
import { useState } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { useCan, useWho } from '../who/identity.ts'
import { Loaded, Empty, Refusal } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Copy } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Switch } from '../ui/field.tsx'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { ServerTokenForm } from './server-token-form.tsx'

export default function KeysScreen() {
  const keys = useGet<KeyList>('/v1/keys')
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<ServerToken | null>(null)
  const [revoking, setRevoking] = useState<KeyEntry | null>(null)
  const [isAll, setAll] = useState(false)
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
      <Switch label="Show revoked keys" checked={isAll} onChange={setAll} />
      <Loaded of={keys}>
        {({ keys: all }) => (
          <Table
            caption="Keys"
            rows={all.filter(({ revoked_at }) => isAll || revoked_at === null)}
            rowKey={({ fingerprint }) => fingerprint}
            columns={[
              {
                title: 'Key',
                cell: ({ label, fingerprint }) => (
                  <>
                    {label} {fingerprint === me?.key_id ? <Badge>Current</Badge> : null}
                    <div className="soft">{fingerprint}</div>
                  </>
                ),
              },
              {
                title: 'Type',
                cell: ({ kind, name }) => (kind === 'server' ? 'Server token' : (name ?? 'Person')),
              },
              {
                title: 'Scopes',
                cell: ({ kind, env, scopes }) => `${kind === 'server' ? `${env}: ` : ''}${scopes.join(', ')}`,
              },
              {
                title: 'Last used',
                cell: ({ last_used_at }) => (last_used_at === null ? 'Never' : <Time at={last_used_at} />),
              },
              {
                title: 'Expires',
                cell: ({ revoked_at, expires_at }) =>
                  revoked_at !== null ? (
                    <Badge tone="bad">Revoked</Badge>
                  ) : expires_at === null ? (
                    'Never'
                  ) : (
                    <Time at={expires_at} />
                  ),
              },
              {
                title: '',
                cell: (key) =>
                  key.revoked_at !== null || key.fingerprint === me?.key_id ? null : (
                    <Button tone="danger" onClick={() => setRevoking(key)}>
                      Revoke <span className="sr-only">{key.label}</span>
                    </Button>
                  ),
              },
            ]}
            empty={<Empty title="No active keys" />}
          />
        )}
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
