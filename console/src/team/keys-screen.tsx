import type { KeyEntry, KeyList, ServerToken } from '@switchroom/contract/keys'
import { useState } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { useCan, useWho } from '../who/identity.ts'
import { Answered, Empty, Refusal } from '../ui/answers.tsx'
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
  const [ending, setEnding] = useState<KeyEntry | null>(null)
  const [isAll, setAll] = useState(false)
  const { me } = useWho()
  const can = useCan()
  const { send, busy, error, clear } = useSend()
  const isPerson = me?.email !== null
  const close = () => {
    setMaking(false)
    setMade(null)
    setEnding(null)
    clear()
  }
  const end = async ({ fingerprint, label }: KeyEntry) => {
    if (!(await send('post', path`/v1/keys/${fingerprint}/revoke`))) return
    toast(`${label} opens nothing any more.`)
    close()
  }
  return (
    <Page
      title="Keys"
      actions={
        isPerson && can('app') ? (
          <Button tone="primary" onClick={() => setMaking(true)}>
            Make a server token
          </Button>
        ) : null
      }
    >
      <Switch label="Show ended keys" checked={isAll} onChange={setAll} />
      <Answered of={keys}>
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
                    {label} {fingerprint === me?.key_id ? <Badge>this one</Badge> : null}
                    <div className="soft">{fingerprint}</div>
                  </>
                ),
              },
              {
                title: 'Kind',
                cell: ({ kind, name }) => (kind === 'server' ? 'server token' : (name ?? 'person')),
              },
              {
                title: 'Opens',
                cell: ({ kind, env, scopes }) => `${kind === 'server' ? `${env}: ` : ''}${scopes.join(', ')}`,
              },
              {
                title: 'Last used',
                cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <Time at={last_used_at} />),
              },
              {
                title: 'Ends',
                cell: ({ revoked_at, expires_at }) =>
                  revoked_at !== null ? (
                    <Badge tone="bad">ended</Badge>
                  ) : expires_at === null ? (
                    'never'
                  ) : (
                    <Time at={expires_at} />
                  ),
              },
              {
                title: '',
                cell: (key) =>
                  key.revoked_at !== null || key.fingerprint === me?.key_id ? null : (
                    <Button tone="danger" onClick={() => setEnding(key)}>
                      End <span className="sr-only">{key.label}</span>
                    </Button>
                  ),
              },
            ]}
            empty={<Empty title="No key is alive" />}
          />
        )}
      </Answered>
      <Dialog
        title={made ? 'The token' : 'Make a server token'}
        open={isMaking || made !== null}
        onClose={close}
      >
        {made ? (
          <div className="stack" role="status">
            <p>This is the token of {made.label}. It is shown this once: keep it like a password.</p>
            <Copy label="the token" text={made.key} />
          </div>
        ) : (
          <ServerTokenForm onMade={setMade} />
        )}
      </Dialog>
      <Dialog title="End this key?" open={ending !== null} onClose={close}>
        {ending ? (
          <div className="stack">
            <p>{ending.label} and every copy of it stop working at once. This cannot be taken back.</p>
            <Refusal error={error} />
            <div className="row">
              <Button tone="danger" busy={busy} onClick={() => void end(ending)}>
                End it
              </Button>
              <Button onClick={close}>Keep it</Button>
            </div>
          </div>
        ) : null}
      </Dialog>
    </Page>
  )
}
