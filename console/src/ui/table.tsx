import type { ReactNode } from 'react'
import './table.css'

export interface Column<Row> {
  /** Unique; also the column heading. */
  title: string
  cell: (row: Row) => ReactNode
  /** The column that names the row; by default the first. */
  isName?: boolean
  isNumeric?: boolean
}

export interface TableProps<Row> {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  /** Shown instead of an empty table. */
  empty?: ReactNode
}

/** A table that becomes a list of cards on narrow screens. */
export function Table<Row>({ caption, columns, rows, rowKey, empty }: TableProps<Row>) {
  if (rows.length === 0 && empty !== undefined) return empty
  const named = columns.some(({ isName }) => isName)
  return (
    <div className="table-frame">
      {/* Explicit roles: CSS removes the implicit ones when rows become cards. */}
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
