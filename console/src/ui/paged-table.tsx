import type { Pages } from '../api/pages.ts'
import { Progress, Refusal } from './feedback.tsx'
import { Button } from './button.tsx'
import { Table, type TableProps } from './table.tsx'

export interface PagedTableProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  pages: Pages<Row>
  /** Shown while the first page loads. */
  label: string
}

/** A paged list as a table, with a button for the next page. */
export function PagedTable<Row>({ pages, label, ...table }: PagedTableProps<Row>) {
  return (
    <>
      <Refusal error={pages.error} />
      {pages.isLoading && !pages.error ? <Progress label={label} /> : null}
      {pages.isLoading ? null : <Table {...table} rows={pages.items} />}
      {pages.hasMore ? (
        <div>
          <Button busy={pages.isReadingMore} onClick={pages.readMore}>
            Show more
          </Button>
        </div>
      ) : null}
    </>
  )
}
