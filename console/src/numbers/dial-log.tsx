import type { Dial, DialPage } from '@switchroom/contract/dialling'
import { Link } from 'wouter'
import { usePages } from '../api/pages.ts'
import { useNames } from '../who/names.ts'
import { Empty } from '../ui/answers.tsx'
import { Badge } from '../ui/badge.tsx'
import { Page } from '../ui/page.tsx'
import { PagedTable } from '../ui/paged-table.tsx'
import { Time } from '../ui/time.tsx'
import { NumberTabs } from './number-tabs.tsx'

const pageOptions = {
  itemsOf: ({ dials }: DialPage) => dials,
  keyOf: ({ id }: Dial) => id,
  everyMs: 30_000,
}

/** Every dial that was asked for, taken or refused. */
export function Ledger() {
  const pages = usePages<DialPage, Dial>('/v1/org/dials', pageOptions)
  const nameOf = useNames()
  return (
    <Page title="Ledger">
      <NumberTabs current="/numbers/ledger" />
      <p className="soft">
        Every dial that was asked for in this environment, taken or refused. No row is ever changed.
      </p>
      <PagedTable
        pages={pages}
        label="Reading the ledger"
        caption="Dials, newest first"
        rowKey={pageOptions.keyOf}
        columns={[
          { title: 'Number', cell: ({ to }) => to },
          { title: 'Outcome', cell: (dial) => <Outcome dial={dial} /> },
          { title: 'Agent', cell: ({ agent }) => agent },
          { title: 'From', cell: ({ from }) => from ?? '–' },
          { title: 'Asked by', cell: ({ by }) => nameOf(by) },
          { title: 'When', cell: ({ at }) => <Time epochS={at} /> },
        ]}
        empty={
          <Empty title="Nobody was dialled yet">
            <p>
              <Link href="/numbers/dial">Have an agent call somebody</Link>: every dial is written down here.
            </p>
          </Empty>
        }
      />
    </Page>
  )
}

function Outcome({ dial: { outcome, reason, call, kind } }: { dial: Dial }) {
  return (
    <>
      <Badge tone={outcome === 'taken' ? 'good' : 'bad'}>{outcome}</Badge> {reason}{' '}
      {kind === 'dial' ? '' : <Badge>{kind}</Badge>}{' '}
      {call === null ? null : <Link href={`/calls/${encodeURIComponent(call)}`}>The call</Link>}
    </>
  )
}
