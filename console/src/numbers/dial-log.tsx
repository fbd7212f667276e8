import type { Dial, DialPage } from '@switchroom/contract/dialling'
import { Link } from 'wouter'
import { usePages } from '../api/pages.ts'
import { useNames } from '../who/names.ts'
import { Empty } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Page } from '../ui/page.tsx'
import { PagedTable } from '../ui/paged-table.tsx'
import { Time } from '../ui/time.tsx'
import { dialReasonLabel } from './guard-labels.ts'
import { NumberTabs } from './number-tabs.tsx'
import { resultName } from './number-labels.ts'

const pageOptions = {
  itemsOf: ({ dials }: DialPage) => dials,
  keyOf: ({ id }: Dial) => id,
  everyMs: 30_000,
}

/** Every requested dial, placed or refused. */
export function DialLog() {
  const pages = usePages<DialPage, Dial>('/v1/org/dials', pageOptions)
  const nameOf = useNames()
  return (
    <Page title="Dial log">
      <NumberTabs current="/numbers/ledger" />
      <p className="soft">
        Every outbound call requested in this environment, placed or refused. No entry is ever changed.
      </p>
      <PagedTable
        pages={pages}
        label="Loading dial log"
        caption="Outbound calls, newest first"
        rowKey={pageOptions.keyOf}
        columns={[
          { title: 'Number', cell: ({ to }) => to },
          { title: 'Outcome', cell: (dial) => <Outcome dial={dial} /> },
          { title: 'Agent', cell: ({ agent }) => agent },
          { title: 'From', cell: ({ from }) => from ?? '–' },
          { title: 'Requested by', cell: ({ by }) => nameOf(by) },
          { title: 'When', cell: ({ at }) => <Time epochS={at} /> },
        ]}
        empty={
          <Empty title="No outbound calls yet">
            <p>
              <Link href="/numbers/dial">Place a call</Link>. Every attempt is listed here.
            </p>
          </Empty>
        }
      />
    </Page>
  )
}

function Outcome({ dial: { outcome, reason, call, kind, result } }: { dial: Dial }) {
  return (
    <>
      <Badge tone={outcome === 'taken' ? 'good' : 'bad'}>{outcome === 'taken' ? 'Placed' : 'Refused'}</Badge>{' '}
      {reason === null ? '' : dialReasonLabel(reason)} {result === null ? '' : resultName(result)}{' '}
      {kind === 'dial' ? '' : <Badge>{kind === 'leg' ? 'Leg' : 'Transfer'}</Badge>}{' '}
      {call === null ? null : <Link href={`/calls/${encodeURIComponent(call)}`}>View call</Link>}
    </>
  )
}
