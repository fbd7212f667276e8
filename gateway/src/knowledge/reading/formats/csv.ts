import { clean, UnreadableDocument, type Block } from '../blocks.ts'
import { rowText } from './table-rows.ts'

const delimiters = [',', ';', '\t', '|']
const longestRow = 20_000
const mostColumns = 500
/** The delimiter is recognised by these. */
const lookedAt = 20

/** Each row is a chunk of its own, with the names of the first row. */
export function* csvBlocks(text: string): Generator<Block> {
  const rows = rowsIn(text, delimiterOf(text))
  const first = rows.next()
  if (first.done) return
  const names = first.value.map(clean)
  let count = 0
  for (const row of rows) {
    count += 1
    yield { kind: 'row', text: rowText(names, row) }
  }
  if (count === 0) yield { kind: 'row', text: names.join('; ') }
}

/** The one that divides the first rows into the same number of cells, of several the one that makes the most. */
function delimiterOf(text: string): string {
  const start = text.slice(0, longestRow * 2)
  let best = { delimiter: ',', score: 0 }
  for (const delimiter of delimiters) {
    const widths = [...firstOf(rowsIn(start, delimiter, Infinity), lookedAt)].map((row) => row.length)
    const [width = 1] = widths
    const share = widths.filter((each) => each === width).length / Math.max(widths.length, 1)
    const score = width > 1 ? share * 1000 + Math.min(width, 100) : 0
    if (score > best.score) best = { delimiter, score }
  }
  return best.delimiter
}

function* firstOf<Item>(items: Iterable<Item>, count: number) {
  let left = count
  for (const item of items) {
    if (left <= 0) return
    left -= 1
    yield item
  }
}

/** Rows as RFC 4180 has them; a quote that is never closed, or stands inside a cell, is a character like others. */
export function* rowsIn(text: string, delimiter: string, longest = longestRow): Generator<string[]> {
  let row: string[] = []
  let at = 0
  let begun = 0
  let number = 1
  const isEnd = (from: number) => from >= text.length || text[from] === '\n'
  while (at < text.length) {
    const { cell, end } = cellAt(text, at, delimiter)
    if (end - begun > longest || (row.length >= mostColumns && longest !== Infinity))
      throw new UnreadableDocument(
        `row ${number} has more than ${longest} characters or ${mostColumns} cells: is it a CSV file?`,
      )
    row.push(cell)
    at = end
    if (!isEnd(at)) {
      at += delimiter.length
      if (at < text.length) continue
      row.push('')
    }
    at += 1
    if (row.some((each) => each.trim() !== '')) yield row
    row = []
    begun = at
    number += 1
  }
}

function cellAt(text: string, at: number, delimiter: string): { cell: string; end: number } {
  if (text[at] === '"') {
    const quoted = quotedAt(text, at, delimiter)
    if (quoted) return quoted
  }
  const line = text.indexOf('\n', at)
  const next = text.indexOf(delimiter, at)
  const lineEnd = line === -1 ? text.length : line
  const end = next === -1 ? lineEnd : Math.min(next, lineEnd)
  return { cell: text.slice(at, end), end }
}

function quotedAt(text: string, at: number, delimiter: string): { cell: string; end: number } | undefined {
  let close = text.indexOf('"', at + 1)
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2)
  if (close === -1 || close - at > longestRow) return undefined
  const end = close + 1
  const isClosed = end >= text.length || text[end] === '\n' || text.startsWith(delimiter, end)
  return isClosed ? { cell: text.slice(at + 1, close).replaceAll('""', '"'), end } : undefined
}
