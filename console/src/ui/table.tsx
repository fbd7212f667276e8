import type { ReactNode } from 'react'
import './table.css'

export interface Column<Row> {
  /** Unique; the heading too, unless `heading` says another. */
  title: string
  cell: (row: Row) => ReactNode
  /** The column that names the row. The first one where none says so. */
  isName?: boolean
  isNumeric?: boolean
}

export interface TableProps<Row> {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  /** Stands instead of the table when it has no rows. */
  empty?: ReactNode
}

/** A table that becomes a list of cards where the screen is narrow. */
export function Table<Row>({ caption, columns, rows, rowKey, empty }: TableProps<Row>) {
  if (rows.length === 0 && empty !== undefined) return empty
  const named = columns.some(({ isName }) => isName)
  return (
    <div className="table-frame">
      {/* The roles say again what CSS takes away when rows become cards. */}
      <table className="table" role="table">
        <caption className="sr-only">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, isNumeric }) => (
              <th key={title} role="columnheader" scope="col" className={isNumeric ? 'numeric' : undefined}>
                {title === '' ? <span className="sr-only">Actions</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={rowKey(row)} role="row">
              {columns.map(({ title, cell, isName, isNumeric }, at) =>
                (named ? isName : at === 0) ? (
                  <th key={title} role="rowheader" scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td
                    key={title}
                    role="cell"
                    className={isNumeric ? 'numeric' : undefined}
                    data-label={title || undefined}
                  >
                    <div>{cell(row)}</div>
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
