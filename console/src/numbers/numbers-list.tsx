import type { NumberEntry, NumberList } from '@switchroom/contract/numbers'
import { Link } from 'wouter'
import { useGet } from '../api/queries.ts'
import { Answered, Empty } from '../ui/answers.tsx'
import { Badge, Lamp } from '../ui/badge.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { NumberTabs } from './number-tabs.tsx'
import { originSays, ringsSays } from './number-labels.ts'
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
  { title: 'Rings', cell: ({ rings }) => <Lamp state={rings} label={ringsSays(rings)} /> },
  { title: 'Agent', cell: ({ route: { agent } }) => <Link href={`/agents/${agent}`}>{agent}</Link> },
  {
    title: 'Comes from',
    cell: ({ origin, via, route: { channel } }) => (
      <>
        {originSays(origin)}
        {via ? `, through ${via}` : ''} {channel === 'msgapp' ? <Badge>Messages</Badge> : null}
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
  return (
    <Page
      title="Numbers"
      actions={
        <ButtonLink href="/numbers/import" tone="primary">
          Bring a number
        </ButtonLink>
      }
    >
      <NumberTabs current="/numbers" />
      <Answered of={numbers} label="Reading the numbers">
        {({ numbers: rows }) => (
          <Table
            caption="Numbers of this environment"
            rows={rows}
            rowKey={({ route: { number } }) => number}
            columns={columns}
            empty={
              <Empty title="No number leads here yet">
                <p>
                  Add <Link href="/numbers/carriers">an account at a carrier</Link>, then{' '}
                  <Link href="/numbers/import">bring a number</Link>: a dry run shows what would happen first.
                </p>
              </Empty>
            }
          />
        )}
      </Answered>
    </Page>
  )
}
