import type { Block } from '../blocks.ts'
import type { Line } from './pdf-lines.ts'

const headingTimes = 1.15
const longestHeading = 150
const deepest = 4

/** Paragraphs over lines and pages, and as headings what is larger than most of the text. */
export function* pageBlocks(pages: readonly (readonly Line[])[]): Generator<Block> {
  const body = commonHeight(pages.flat())
  const levels = headingLevels(pages.flat(), body)
  const repeated = repeatedEdges(pages)
  let paragraph = ''
  let before: Line | undefined
  function* flush(): Generator<Block> {
    if (paragraph.trim() !== '') yield { kind: 'text', text: paragraph.trim() }
    paragraph = ''
  }
  for (const lines of pages) {
    for (const [at, line] of lines.entries()) {
      const isEdge = at < 2 || at >= lines.length - 2
      if (isEdge && (isPageNumber(line.text) || repeated.has(withoutDigits(line.text)))) continue
      const level = levels.get(rounded(line.height))
      const isHeading = level !== undefined && line.text.length <= longestHeading && /\p{L}/u.test(line.text)
      if (isHeading) {
        yield* flush()
        yield { kind: 'heading', level, text: line.text }
        before = undefined
        continue
      }
      const gap = before ? before.y - line.y : 0
      const isNew = before !== undefined && (gap > before.height * 2 || isListMark(line.text))
      const isNewPage = before !== undefined && gap < 0 && /[.!?:]$/.test(paragraph.trim())
      if (isNew || isNewPage) yield* flush()
      paragraph = joined(paragraph, line.text.trim())
      before = line
    }
  }
  yield* flush()
}

/** A word that was divided at the end of a line is one again. */
export function joined(text: string, line: string): string {
  if (text === '') return line
  if (/\p{L}[-\u00ad\u2010]$/u.test(text) && /^\p{Ll}/u.test(line)) return text.slice(0, -1) + line
  return `${text} ${line}`
}

const rounded = (height: number) => Math.round(height * 2) / 2

/** By letters: what most of the text is set in. */
function commonHeight(lines: readonly Line[]): number {
  const letters = new Map<number, number>()
  for (const { height, text } of lines)
    letters.set(rounded(height), (letters.get(rounded(height)) ?? 0) + text.length)
  return [...letters].reduce((most, each) => (each[1] > most[1] ? each : most), [0, 0])[0]
}

function headingLevels(lines: readonly Line[], body: number): Map<number, number> {
  const larger = new Set(
    lines.map(({ height }) => rounded(height)).filter((height) => height > body * headingTimes),
  )
  const ordered = [...larger].toSorted((a, b) => b - a)
  return new Map(ordered.map((height, at) => [height, Math.min(at + 1, deepest)]))
}

const isPageNumber = (text: string) =>
  /^[\s–—|-]*(?:(?:page|seite|página|pagina|p\.)\s*)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:\/|of|von|de|di|sur)\s*\d{1,4})?[\s–—|-]*$/i.test(
    text,
  )

const isListMark = (text: string) => /^\s*(?:[•◦▪–*-]|\(?\d{1,2}[.)]|[a-z]\))\s/.test(text)

const withoutDigits = (text: string) => text.replace(/\d+/g, '#').trim()

/** What stands at the top or the bottom of most pages. */
function repeatedEdges(pages: readonly (readonly Line[])[]): Set<string> {
  const count = new Map<string, number>()
  for (const lines of pages)
    for (const edge of new Set(
      [...lines.slice(0, 2), ...lines.slice(-2)].map(({ text }) => withoutDigits(text)),
    ))
      count.set(edge, (count.get(edge) ?? 0) + 1)
  const least = Math.max(3, pages.length / 2)
  return new Set([...count].filter(([, times]) => times >= least).map(([edge]) => edge))
}
