import type { PublishableKey, PublishableKeyList } from '@switchroom/contract/publishable-keys'
import { useState } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { useCan, useWho } from '../who/identity.ts'
import { Empty, Loaded, Refusal } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Copy } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Switch } from '../ui/field.tsx'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { toast } from '../ui/toast.tsx'
import { PublishableKeyForm } from './publishable-key-form.tsx'

/** What a page needs to call the agent. */
const snippetOf = ({ key }: PublishableKey) =>
  `<script type="module" src="${location.origin}/embed/switchroom.js"></script>
<switchroom-call key="${key}"></switchroom-call>`

export default function PublishableKeysScreen() {
  const keys = useGet<PublishableKeyList>('/v1/publishable-keys')
  const [isMaking, setMaking] = useState(false)
  const [shown, setShown] = useState<PublishableKey | null>(null)
  const [revoking, setRevoking] = useState<PublishableKey | null>(null)
  const [isAll, setAll] = useState(false)
  const { me } = useWho()
  const can = useCan()
  const { send, busy, error, clear } = useSend()
  const isPerson = me?.email !== null
  const close = () => {
    setMaking(false)
    setShown(null)
    setRevoking(null)
    clear()
  }
  const revoke = async ({ id, label }: PublishableKey) => {
    if (!(await send('post', path`/v1/publishable-keys/${id}/revoke`))) return
    toast(`${label} revoked.`)
    close()
  }
  return (
    <Page
      title="Publishable keys"
      actions={
        isPerson && can('app') ? (
          <Button tone="primary" onClick={() => setMaking(true)}>
            Create publishable key
          </Button>
        ) : null
      }
    >
      <p className="soft">
        A publishable key is placed in a web page. It opens calls with one agent, only from the origins you
        list, and limits each visitor.
      </p>
      <Switch label="Show revoked keys" checked={isAll} onChange={setAll} />
      <Loaded of={keys}>
        {({ publishable_keys: all }) => (
          <Table
            caption="Publishable keys"
            rows={all.filter(({ revoked_at }) => isAll || revoked_at === null)}
            rowKey={({ id }) => id}
            columns={[
              {
                title: 'Key',
                cell: ({ label, id }) => (
                  <>
                    {label}
                    <div className="soft">{id}</div>
                  </>
                ),
              },
              { title: 'Agent', cell: ({ agent, env }) => `${agent} (${env})` },
              { title: 'Origins', cell: ({ origins }) => origins.join(', ') },
              {
                title: 'Limits',
                cell: ({ visitor_per_hour, per_minute }) =>
                  `${visitor_per_hour} an hour for a visitor, ${per_minute} a minute in all`,
              },
              {
                title: '',
                cell: (key) =>
                  key.revoked_at !== null ? (
                    <Badge tone="bad">Revoked</Badge>
                  ) : (
                    <div className="row">
                      <Button onClick={() => setShown(key)}>
                        Show snippet <span className="sr-only">of {key.label}</span>
                      </Button>
                      <Button tone="danger" onClick={() => setRevoking(key)}>
                        Revoke <span className="sr-only">{key.label}</span>
                      </Button>
                    </div>
                  ),
              },
            ]}
            empty={<Empty title="No publishable keys" />}
          />
        )}
      </Loaded>
      <Dialog
        title={shown ? `Snippet for ${shown.label}` : 'Create publishable key'}
        open={isMaking || shown !== null}
        onClose={close}
      >
        {shown ? (
          <div className="stack" role="status">
            <p>Paste this into a page of {shown.origins.join(' or ')}.</p>
            <Copy label="snippet" text={snippetOf(shown)} />
            <Copy label="key" text={shown.key} />
          </div>
        ) : (
          <PublishableKeyForm onMade={setShown} />
        )}
      </Dialog>
      <Dialog title="Revoke this key?" open={revoking !== null} onClose={close}>
        {revoking ? (
          <div className="stack">
            <p>Pages that use {revoking.label} can no longer start calls. This cannot be undone.</p>
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
