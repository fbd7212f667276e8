import type { MissedQueries, MissedQuery } from '@switchroom/contract/knowledge'
import { Link } from 'wouter'
import { path } from '../api/client.ts'
import { usePages } from '../api/pages.ts'
import { Empty } from '../ui/feedback.tsx'
import { PagedTable } from '../ui/paged-table.tsx'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { scoreOf } from './knowledge-labels.tsx'

const columns: Column<MissedQuery>[] = [
  { title: 'Question', cell: ({ query }) => <span className="wrap-anywhere">{query}</span> },
  { title: 'Agent', cell: ({ agent }) => agent },
  {
    title: 'Best score',
    isNumeric: true,
    cell: ({ best_score }) => (best_score === null ? 'Nothing' : scoreOf(best_score)),
  },
  { title: 'When', cell: ({ at }) => <Time at={at} /> },
  {
    title: '',
    cell: ({ call, query }) => (
      <Link href={`/calls/${encodeURIComponent(call)}`}>
        Call <span className="sr-only">in which was asked: {query}</span>
      </Link>
    ),
  },
]

const options = {
  itemsOf: ({ missed }: MissedQueries) => missed,
  keyOf: ({ call, seq }: MissedQuery) => `${call} ${seq}`,
}

/** What is worth writing a document about. */
export function MissedQueriesList({ base }: { base: string }) {
  const pages = usePages<MissedQueries, MissedQuery>(path`/v1/bases/${base}/missed`, options)
  return (
    <>
      <p className="soft">What callers asked and this base had nothing for, newest first.</p>
      <PagedTable
        caption="Asked and not found"
        label="Loading questions"
        pages={pages}
        columns={columns}
        rowKey={options.keyOf}
        empty={<Empty title="Nothing was asked in vain" />}
      />
    </>
  )
}
