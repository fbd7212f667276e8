import { styleText } from 'node:util'
import { aligned, tabbed, type Cell, type Column } from './table.ts'
import { padded, plain, widthOf } from './text-width.ts'

type Style = Parameters<typeof styleText>[0]

interface Stream {
  isTTY?: boolean
  columns?: number
  write: (text: string) => unknown
}

const usualWidth = 80
const afterAscii = /[\u007f-\u009f]/g

/** The output of a command: answers on standard output, everything else on standard error. */
export class Output {
  readonly isTerminal: boolean
  readonly isColoured: boolean
  readonly #out: Stream
  readonly #err: Stream

  constructor(environment: NodeJS.ProcessEnv, out: Stream = process.stdout, err: Stream = process.stderr) {
    this.#out = out
    this.#err = err
    this.isTerminal = out.isTTY === true
    this.isColoured = this.isTerminal && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb'
  }

  get width(): number {
    return this.#out.columns || usualWidth
  }

  get notesWidth(): number {
    return this.#err.isTTY === true ? this.#err.columns || usualWidth : 0
  }

  line(text = ''): void {
    this.#out.write(`${text}\n`)
  }

  /** On standard error: not part of the answer. */
  note(text = ''): void {
    this.#err.write(`${text}\n`)
  }

  json(value: unknown): void {
    if (value !== undefined) this.line(safeJson(JSON.stringify(value, null, 2)))
  }

  /** One value on one line, for streams of them. */
  jsonLine(value: unknown): void {
    this.line(safeJson(JSON.stringify(value)))
  }

  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], empty: string): void {
    if (rows.length === 0) return this.note(empty)
    if (!this.isTerminal) {
      for (const line of tabbed(columns, rows)) this.line(line)
      return
    }
    const { title, lines } = aligned(columns, rows, this.width)
    for (const line of [this.style('dim', title), ...lines]) this.line(line)
  }

  /** Names and values beneath each other; what is null is left out. */
  fields(fields: Record<string, Cell>): void {
    const said = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
    const width = Math.max(...said.map(([name]) => widthOf(name)))
    for (const [name, value] of said) {
      const text = typeof value === 'boolean' ? (value ? 'yes' : 'no') : plain(String(value))
      this.line(this.isTerminal ? `${this.style('dim', padded(name, width))}  ${text}` : `${name}\t${text}`)
    }
  }

  style(style: Style, text: string): string {
    return this.isColoured ? styleText(style, text, { validateStream: false }) : text
  }

  /** The local time for people, RFC 3339 for programs. */
  time(at: number | string | null | undefined): string {
    if (at === null || at === undefined) return ''
    const date = new Date(typeof at === 'number' ? at * 1000 : at)
    if (!this.isTerminal) return date.toISOString()
    const two = (part: number) => String(part).padStart(2, '0')
    const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
    return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
  }
}

/** Escapes what some terminals take for commands and JSON leaves in. */
export const safeJson = (json: string) =>
  json.replace(afterAscii, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
