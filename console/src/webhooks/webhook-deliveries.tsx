import type { Delivery, DeliveryDetail, DeliveryPage } from '@switchroom/contract/webhooks'
import { useState } from 'react'
import { path } from '../api/client.ts'
import { usePages } from '../api/pages.ts'
import { useGet, useSend } from '../api/queries.ts'
import { withQuery } from '../api/query-filters.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty, Loaded, Refusal } from '../ui/feedback.tsx'
import { Select } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { PagedTable } from '../ui/paged-table.tsx'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'

const labels = { pending: 'Pending', delivered: 'Delivered', failed: 'Failed' }
const tones = { pending: 'neutral', delivered: 'good', failed: 'bad' } as const
const states = [
  { value: '', label: 'All' },
  ...Object.entries(labels).map(([value, label]) => ({ value, label })),
]
const pageOptions = {
  itemsOf: ({ deliveries }: DeliveryPage) => deliveries,
  keyOf: ({ event }: Delivery) => event,
  everyMs: 3000,
}

/** What was and is to be sent to one webhook. */
export function WebhookDeliveries({ id }: { id: string }) {
  const [state, setState] = useState('')
  const [opened, setOpened] = useState<string | null>(null)
  const pages = usePages<DeliveryPage, Delivery>(
    withQuery(path`/v1/webhooks/${id}/deliveries`, { state }),
    pageOptions,
  )
  const columns: Column<Delivery>[] = [
    { title: 'Event', cell: ({ type }) => type },
    {
      title: 'Status',
      cell: (delivery) => <Badge tone={tones[delivery.state]}>{labels[delivery.state]}</Badge>,
    },
    { title: 'Last answer', cell: ({ status, error }) => error ?? status ?? '–' },
    { title: 'Attempts', isNumeric: true, cell: ({ attempts }) => attempts },
    { title: 'Call', cell: ({ call }) => call ?? '–' },
    { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      title: '',
      cell: ({ event, type }) => (
        <Button onClick={() => setOpened(event)}>
          Show <span className="sr-only">{type}</span>
        </Button>
      ),
    },
  ]
  return (
    <Section title="Deliveries" hint="Of the last seven days, newest first.">
      <Select label="Status" value={state} onChange={setState} options={states} />
      <PagedTable
        caption="Deliveries"
        label="Loading deliveries"
        pages={pages}
        rowKey={({ event }) => event}
        columns={columns}
        empty={<Empty title="No deliveries" />}
      />
      <Dialog title="Delivery" open={opened !== null} onClose={() => setOpened(null)}>
        {opened === null ? null : <ShownDelivery at={path`/v1/webhooks/${id}/deliveries/${opened}`} />}
      </Dialog>
    </Section>
  )
}

/** The request and every answer. */
function ShownDelivery({ at }: { at: string }) {
  const detail = useGet<DeliveryDetail>(at, { everyMs: 3000 })
  const { send, busy, error } = useSend()
  const again = async () => {
    if (await send('post', `${at}/redeliver`)) toast('Sent again.')
  }
  return (
    <Loaded of={detail}>
      {({ event, type, state, next_at, body, tries }) => (
        <div className="stack">
          <p>
            {type} <Badge tone={tones[state]}>{labels[state]}</Badge>
            <span className="soft"> {event}</span>
          </p>
          {next_at === null ? null : (
            <p className="soft">
              Next attempt: <Time at={next_at} />
            </p>
          )}
          <h3>Answers</h3>
          {tries.length === 0 ? <p className="soft">Not attempted yet.</p> : null}
          {tries.map(({ attempt, at: when, status, error: why, answer, duration_ms, headers }) => (
            <div key={attempt} className="stack">
              <p>
                <Time at={when} /> · {status ?? 'no answer'} · {duration_ms} ms
                {why === null ? null : <span className="soft"> {why}</span>}
              </p>
              {answer ? <pre tabIndex={0}>{answer}</pre> : null}
              <details>
                <summary>Signature headers</summary>
                <pre tabIndex={0}>
                  {Object.entries(headers)
                    .map(([name, value]) => `${name}: ${value}`)
                    .join('\n')}
                </pre>
              </details>
            </div>
          ))}
          <h3>Request body</h3>
          <pre tabIndex={0}>{body === null ? 'Made before the first attempt.' : readable(body)}</pre>
          <Refusal error={error} />
          <div className="row">
            <Button busy={busy} onClick={() => void again()}>
              Send again
            </Button>
          </div>
        </div>
      )}
    </Loaded>
  )
}

const readable = (body: string) => JSON.stringify(JSON.parse(body), null, 2)
