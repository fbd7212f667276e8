import type { CreatedWebhook, TestedWebhook, Webhook, WebhookList } from '@switchroom/contract/webhooks'
import { useState } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { useFilters } from '../api/query-filters.ts'
import { useSession } from '../api/session.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { Copy } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty, Loaded, Refusal } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { WebhookDeliveries } from './webhook-deliveries.tsx'
import { WebhookForm } from './webhook-form.tsx'

const everyMs = 10_000

export default function WebhooksScreen() {
  const { env } = useSession()
  const list = useGet<WebhookList>('/v1/webhooks', { everyMs })
  const [{ webhook: chosen }, setFilter] = useFilters(['webhook'])
  const [editing, setEditing] = useState<Webhook | 'new' | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const { send, busy, error } = useSend()

  const test = async ({ id }: Webhook) => {
    if (await send<TestedWebhook>('post', path`/v1/webhooks/${id}/test`)) {
      toast('Test event queued.')
      setFilter('webhook', id)
    }
  }
  const pause = async ({ id, state }: Webhook) => {
    const paused = state !== 'paused'
    if (await send('patch', path`/v1/webhooks/${id}`, { paused }))
      toast(paused ? 'Webhook paused.' : 'Webhook resumed.')
  }
  const rotate = async ({ id }: Webhook) => {
    const rotated = await send<CreatedWebhook>('post', path`/v1/webhooks/${id}/rotate`, {})
    if (rotated) setSecret(rotated.secret)
  }
  const remove = async ({ id }: Webhook) => {
    if (await send('delete', path`/v1/webhooks/${id}`)) {
      toast('Webhook deleted.')
      if (chosen === id) setFilter('webhook', '')
    }
  }

  const columns: Column<Webhook>[] = [
    {
      title: 'URL',
      cell: ({ url, description }) => (
        <>
          {url}
          {description === '' ? null : <div className="soft">{description}</div>}
        </>
      ),
    },
    { title: 'Status', cell: (webhook) => <Status webhook={webhook} /> },
    { title: 'Events', cell: ({ types }) => types?.join(', ') ?? 'All' },
    { title: 'Agents', cell: ({ agents }) => agents?.join(', ') ?? 'All' },
    {
      title: 'Last delivered',
      cell: ({ delivered_at }) => (delivered_at === null ? '–' : <Time at={delivered_at} />),
    },
    {
      title: '',
      cell: (webhook) => (
        <div className="row">
          <Button onClick={() => setFilter('webhook', webhook.id)}>
            Deliveries <span className="sr-only">of {webhook.url}</span>
          </Button>
          <Button busy={busy} onClick={() => void test(webhook)}>
            Test <span className="sr-only">{webhook.url}</span>
          </Button>
          <Button busy={busy} onClick={() => void pause(webhook)}>
            {webhook.state === 'paused' ? 'Resume' : 'Pause'} <span className="sr-only">{webhook.url}</span>
          </Button>
          <Button onClick={() => setEditing(webhook)}>
            Edit <span className="sr-only">{webhook.url}</span>
          </Button>
          <ConfirmButton busy={busy} confirmLabel="Yes, rotate" onConfirm={() => void rotate(webhook)}>
            Rotate secret <span className="sr-only">of {webhook.url}</span>
          </ConfirmButton>
          <ConfirmButton busy={busy} confirmLabel="Yes, delete" onConfirm={() => void remove(webhook)}>
            Delete <span className="sr-only">{webhook.url}</span>
          </ConfirmButton>
        </div>
      ),
    },
  ]
  return (
    <Page
      title="Webhooks"
      actions={
        <Button tone="primary" onClick={() => setEditing('new')}>
          Add webhook
        </Button>
      }
    >
      <p className="soft">
        Your own servers are told of calls, messages, callbacks and numbers. These are the webhooks in {env}.
      </p>
      <Refusal error={error} />
      <Loaded of={list}>
        {({ webhooks }) => (
          <>
            <Table
              caption="Webhooks"
              rows={webhooks}
              rowKey={({ id }) => id}
              columns={columns}
              empty={<Empty title="No webhooks" />}
            />
            {webhooks.some(({ id }) => id === chosen) ? <WebhookDeliveries key={chosen} id={chosen} /> : null}
          </>
        )}
      </Loaded>
      <Dialog
        title={editing === 'new' ? 'Add webhook' : 'Edit webhook'}
        open={editing !== null}
        onClose={() => setEditing(null)}
      >
        {editing === null ? null : (
          <WebhookForm
            webhook={editing === 'new' ? null : editing}
            onDone={(made) => {
              setEditing(null)
              setSecret(made)
            }}
          />
        )}
      </Dialog>
      <Dialog title="Signing secret" open={secret !== null} onClose={() => setSecret(null)}>
        <div className="stack">
          <p>Copy it now: it is not shown again. After a rotation the older secret signs too for a day.</p>
          <Copy label="secret" text={secret ?? ''} />
        </div>
      </Dialog>
    </Page>
  )
}

function Status({ webhook: { state, paused_why, failing_since } }: { webhook: Webhook }) {
  const tone = state === 'active' ? 'good' : state === 'failing' ? 'warn' : 'bad'
  const label = { active: 'Active', failing: 'Failing', paused: 'Paused' }[state]
  return (
    <>
      <Badge tone={tone}>{label}</Badge>
      {failing_since === null ? null : (
        <div className="soft">
          {paused_why === 'failing' ? 'Paused because every delivery failed since ' : 'Since '}
          <Time at={failing_since} />
        </div>
      )}
    </>
  )
}
