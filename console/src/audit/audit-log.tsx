import type { AuditEntry, AuditPage } from '@switchroom/contract/audit'
import { usePages } from '../api/pages.ts'
import { withQuery, useFilters } from '../api/query-filters.ts'
import { Empty } from '../ui/feedback.tsx'
import { Select, TextField } from '../ui/field.tsx'
import { FilterField } from '../ui/filter-field.tsx'
import { Page } from '../ui/page.tsx'
import { PagedTable } from '../ui/paged-table.tsx'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { actionLabels, actionOptions, actorLabel, detailLines } from './audit-labels.ts'
import './audit.css'

const pageOptions = {
  itemsOf: ({ entries }: AuditPage) => entries,
  keyOf: ({ id }: AuditEntry) => id,
  everyMs: 30_000,
}

const columns: Column<AuditEntry>[] = [
  { title: 'Action', isName: true, cell: ({ action }) => actionLabels[action] },
  { title: 'Target', cell: ({ target: { label, id } }) => label ?? id ?? '–' },
  { title: 'By', cell: ({ actor }) => actorLabel(actor) },
  { title: 'Changes', cell: ({ detail, env }) => <Changes detail={detail} env={env} /> },
  { title: 'From', cell: ({ from }) => from ?? '–' },
  { title: 'When', cell: ({ at }) => <Time at={at} /> },
]
const orgColumn: Column<AuditEntry> = {
  title: 'Organization',
  cell: ({ org, slug }) => slug ?? org ?? 'Deployment',
}

/** The org's entries, or with `isPlatform` those of every org and the deployment. */
export function AuditLog({ isPlatform = false }: { isPlatform?: boolean }) {
  const [filters, setFilter] = useFilters(['org', 'action', 'actor', 'target', 'since', 'until'])
  const { org, since, until, ...rest } = filters
  const query = {
    ...rest,
    ...(isPlatform && { org }),
    since: dayStart(since),
    until: dayStart(until, 1),
    limit: '100',
  }
  const at = isPlatform ? '/v1/ops/audit' : '/v1/org/audit'
  const pages = usePages<AuditPage, AuditEntry>(withQuery(at, query), pageOptions)
  return (
    <Page title="Audit log">
      <p className="soft">Who changed what, when and from where. No entry is ever changed.</p>
      <div className="fields audit-filters" role="search" aria-label="Filter the audit log">
        {isPlatform ? (
          <FilterField label="Organization" value={org} onChange={(value) => setFilter('org', value)} />
        ) : null}
        <Select
          label="Action"
          value={filters.action}
          onChange={(value) => setFilter('action', value)}
          options={actionOptions(isPlatform)}
        />
        <FilterField
          label="By"
          placeholder="Email, member id or key id"
          value={filters.actor}
          onChange={(value) => setFilter('actor', value)}
        />
        <FilterField
          label="Target"
          placeholder="Name or id"
          value={filters.target}
          onChange={(value) => setFilter('target', value)}
        />
        <TextField
          label="From day"
          type="date"
          value={since}
          onChange={(value) => setFilter('since', value)}
        />
        <TextField label="To day" type="date" value={until} onChange={(value) => setFilter('until', value)} />
      </div>
      <PagedTable
        pages={pages}
        label="Loading audit log"
        caption="Audit log, newest first"
        rowKey={pageOptions.keyOf}
        columns={isPlatform ? [columns[0] ?? orgColumn, orgColumn, ...columns.slice(1)] : columns}
        empty={
          <Empty title="No matching entries">
            <p>Changes to people, keys, settings and numbers are recorded here.</p>
          </Empty>
        }
      />
    </Page>
  )
}

function Changes({ detail, env }: Pick<AuditEntry, 'detail' | 'env'>) {
  const lines = detailLines(detail)
  if (env === 'production') lines.unshift('production')
  if (lines.length === 0) return '–'
  return (
    <ul className="audit-changes">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}

/** Midnight of the day in the browser's own time zone, so many days later. */
function dayStart(day: string, daysLater = 0): string {
  const [year, month, date] = day.split('-').map(Number)
  if (year === undefined || month === undefined || date === undefined) return ''
  const at = new Date(year, month - 1, date + daysLater)
  return Number.isNaN(at.getTime()) ? '' : at.toISOString()
}
