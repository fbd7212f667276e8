import type { NumberEntry, NumberList } from '@switchroom/contract/numbers'
import { Link } from 'wouter'
import { useGet } from '../api/queries.ts'
import { useOwnAgents } from '../who/identity.ts'
import { Loaded, Empty } from '../ui/feedback.tsx'
import { Badge, StatusLight } from '../ui/badge.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { NumberTabs } from './number-tabs.tsx'
import { carrierLabel, originLabel, ringsLabel } from './number-labels.ts'
import './numbers.css'

const everyMs = 15_000

const columns: Column<NumberEntry>[] = [
  {
    title: 'Number',
    cell: ({ route: { number, label } }) => (
      <>
        <Link href={`/numbers/${encodeURIComponent(number)}`}>{number}</Link>{' '}
        {label === number ? '' : <span className="soft">{label}</span>}
      </>
    ),
  },
  { title: 'Status', cell: ({ rings }) => <StatusLight state={rings} label={ringsLabel(rings)} /> },
  { title: 'Agent', cell: ({ route: { agent } }) => <Link href={`/agents/${agent}`}>{agent}</Link> },
  {
    title: 'Origin',
    cell: ({ origin, via, route: { channel } }) => (
      <>
        {originLabel(origin)}
        {via ? ` via ${carrierLabel(via)}` : ''} {channel === 'msgapp' ? <Badge>WhatsApp</Badge> : null}
      </>
    ),
  },
  {
    title: 'Last call',
    cell: ({ last_call_at }) => (last_call_at === null ? 'Never' : <Time epochS={last_call_at} />),
  },
]

export function Numbers() {
  const numbers = useGet<NumberList>('/v1/numbers', { everyMs })
  const own = useOwnAgents()
  return (
    <Page
      title="Numbers"
      actions={
        <ButtonLink href="/numbers/import" tone="primary">
          Import number
        </ButtonLink>
      }
    >
      <NumberTabs current="/numbers" />
      <Loaded of={numbers} label="Loading numbers">
        {({ numbers: rows }) => (
          <Table
            caption="Numbers in this environment"
            rows={own ? rows.filter(({ route: { agent } }) => own.includes(agent)) : rows}
            rowKey={({ route: { number } }) => number}
            columns={columns}
            empty={
              <Empty title="No numbers yet">
                <p>
                  Add a <Link href="/numbers/carriers">carrier account</Link>, then{' '}
                  <Link href="/numbers/import">import a number</Link>. A preview shows what would change.
                </p>
              </Empty>
            }
          />
        )}
      </Loaded>
    </Page>
  )
}
