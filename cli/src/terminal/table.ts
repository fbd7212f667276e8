import { cut, padded, plain, widthOf } from './text-width.ts'

export type Cell = string | number | boolean | null | undefined

export interface Column<Row> {
  title: string
  of: (row: Row) => Cell
  /** Names something that other commands take, so it is never cut. */
  isName?: boolean
}

const gap = '  '
const fewest = 6

const textOf = (cell: Cell): string => {
  if (cell === null || cell === undefined) return ''
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  return plain(String(cell))
}

/** For programs: tabs between, no titles, nothing left out. */
export const tabbed = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string[] =>
  rows.map((row) => columns.map(({ of }) => textOf(of(row))).join('\t'))

/** For people: titles and one line a row, cut to the width of the terminal. */
export function aligned<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): { title: string; lines: string[] } {
  const cells = rows.map((row) => columns.map(({ of }) => textOf(of(row))))
  const titles = columns.map(({ title }) => title.toUpperCase())
  const natural = titles.map((title, at) =>
    Math.max(widthOf(title), ...cells.map((row) => widthOf(row[at] ?? ''))),
  )
  const narrowest = columns.map(({ isName = false }, at) => (isName ? (natural[at] ?? 0) : fewest))
  const widths = fitted(natural, narrowest, width - gap.length * (columns.length - 1))
  const lineOf = (texts: string[]) =>
    texts
      .map((text, at) => padded(cut(text, widths[at] ?? 0), widths[at] ?? 0))
      .join(gap)
      .trimEnd()
  return { title: lineOf(titles), lines: cells.map(lineOf) }
}

/** The widest columns give way first. */
function fitted(natural: readonly number[], narrowest: readonly number[], room: number): number[] {
  const widths = [...natural]
  for (let over = widths.reduce((sum, width) => sum + width, 0) - room; over > 0; over -= 1) {
    const spare = widths.map((width, at) => (width > (narrowest[at] ?? 0) ? width : 0))
    const widest = spare.indexOf(Math.max(...spare))
    if (spare[widest] === 0) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}
