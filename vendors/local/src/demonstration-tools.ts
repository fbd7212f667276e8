import type { Tool } from '@switchroom/kit/vendor'
import { phoneNumbersIn, withDigits } from './demonstration-numbers.ts'
import { zoneIn } from './demonstration-places.ts'

interface Field {
  type?: unknown
  enum?: unknown
  pattern?: unknown
  description?: unknown
}

interface Fields {
  properties?: Record<string, Field>
  required?: readonly string[]
}

/** A word of a text, and where in the text it is. */
interface Word {
  text: string
  from: number
  to: number
}

/** No tool that a person speaks of has more, and names come from outside. */
const mostFields = 64
const mostWordsInName = 16
const mostWordsBetween = 1
const linking = new Set(['is', 'to', 'es', 'é'])
const joining = new Set(['and', 'y', 'e'])

/** The tool whose name a person said, underscores as spaces: the longest, if several were. "Call me back" is call_back. */
export function toolSaid(words: string, tools: readonly Tool[]): Tool | undefined {
  const said = wordsOf(words)
  return tools
    .filter(({ name }) => placesOf(said, nameOf(name), mostWordsBetween).length > 0)
    .toSorted((a, b) => b.name.length - a.name.length)[0]
}

/** Required fields that the arguments lack, as a person would call them. */
export function missingOf(args: Record<string, unknown>, { parameters }: Tool): string[] {
  const { properties = {}, required = [] } = parameters as Fields
  return required
    .filter((field) => args[field] === undefined)
    .map((field) => {
      const description = properties[field]?.description
      return typeof description === 'string' ? `${spoken(field)}, ${description}` : spoken(field)
    })
}

const spoken = (field: string) => field.replaceAll('_', ' ')

/** Whether a tool's field is a time zone, such as Europe/Madrid. */
const isZone = (field: string, { description }: Field) =>
  /^(?:time_?)?zone$|^tz$/iu.test(field) ||
  (typeof description === 'string' && /\bEurope\/\w+/u.test(description))

/** Whether the tool has a field for a time zone that the words ask for but name no known place of. */
export const hasZone = ({ parameters }: Tool) =>
  Object.entries((parameters as Fields).properties ?? {}).some(([name, field]) => isZone(name, field))

/** What the words say about the tool's simple fields; others are left out. */
export function argumentsSaid(words: string, { name, parameters }: Tool): Record<string, unknown> {
  const { properties = {} } = parameters as Fields
  const fields = Object.entries(properties).slice(0, mostFields)
  const said = new Said(
    without(words, name),
    fields.map(([field]) => field),
  )
  const digits = withDigits(said.text)
  const numbers = [...digits.matchAll(/-?\d+(?:[.,]\d+)?/gu)].map(([number]) =>
    Number(number.replace(',', '.')),
  )
  const found = fields.map(([field, wanted]) => {
    const { type, enum: choices, pattern } = wanted
    if (Array.isArray(choices))
      return [field, choices.find((choice) => plain(said.text).includes(plain(String(choice))))]
    if (type === 'number' || type === 'integer')
      return [field, numberIn(withDigits(said.after(field) ?? '')) ?? numbers.shift()]
    if (type === 'boolean') return [field, said.places(field).length > 0 || undefined]
    if (type === 'string' && isPhoneNumber(pattern)) return [field, phoneNumbersIn(words)[0]]
    if (type === 'string' && isZone(field, wanted)) return [field, zoneIn(words)]
    return [field, type === 'string' ? said.valueOf(field) : undefined]
  })
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}

/** Whether a field's pattern demands a plus first; it is an app's, so it is not run. */
const isPhoneNumber = (pattern: unknown) =>
  typeof pattern === 'string' && ['^\\+', '^[+]'].some((plus) => pattern.startsWith(plus))

/** A sentence, and where in it fields are named. */
class Said {
  readonly text: string
  readonly #words: readonly Word[]
  /** By field, the places among the words where its name begins. */
  readonly #places: ReadonlyMap<string, readonly number[]>
  readonly #named: ReadonlySet<number>

  constructor(text: string, fields: readonly string[]) {
    this.text = text
    this.#words = wordsOf(text)
    this.#places = new Map(fields.map((field) => [field, placesOf(this.#words, nameOf(field))]))
    this.#named = new Set([...this.#places.values()].flat())
  }

  places(field: string): readonly number[] {
    return this.#places.get(field) ?? []
  }

  /** The words after the field's name. */
  after(field: string): string | undefined {
    const from = this.#valueFrom(field)
    return from === undefined ? undefined : this.text.slice(from)
  }

  /** The words up to the next field's name, a comma or the end of the sentence. */
  valueOf(field: string): string | undefined {
    const from = this.#valueFrom(field)
    if (from === undefined) return undefined
    const first = this.#words.findIndex((word) => word.from >= from)
    const next = this.#words.findIndex((_, n) => n > first && this.#named.has(n))
    const before = this.#words[next - 1]
    const isJoined = before !== undefined && next - 1 > first && joining.has(before.text)
    const to = next === -1 || first === -1 ? undefined : isJoined ? before.from : this.#words[next]?.from
    return (
      this.text
        .slice(from, to)
        .split(/[,;!?]|\.(?:\s|$)/u, 1)[0]
        ?.trim() || undefined
    )
  }

  /** Past the name, a word that links it to its value, and the blanks or signs between them. */
  #valueFrom(field: string): number | undefined {
    const length = nameOf(field).length
    for (const place of this.places(field)) {
      const last = this.#words[place + length - 1]
      const link = this.#words[place + length]
      if (!last) continue
      const isLinked =
        link && linking.has(link.text) && this.text.slice(last.to, link.from).trim() === '' ? link : last
      for (const end of [isLinked.to, last.to]) {
        const gap = /[\s:=]+/uy
        gap.lastIndex = end
        const from = gap.test(this.text) ? gap.lastIndex : undefined
        if (from !== undefined && from < this.text.length) return from
      }
    }
    return undefined
  }
}

/** The words with the name of the tool taken out. */
function without(words: string, tool: string): string {
  const all = wordsOf(words)
  const name = nameOf(tool)
  const [place] = placesOf(all, name, mostWordsBetween)
  const [first, last] = place === undefined ? [] : [all[place], all[endOf(all, name, place)]]
  return first && last ? ` ${words.slice(0, first.from)} ${words.slice(last.to)} ` : ` ${words} `
}

/** Where a name begins among the words, with at most so many other words after each of its own. */
function placesOf(words: readonly Word[], name: readonly string[], between = 0): number[] {
  if (name.length === 0 || name.length > mostWordsInName) return []
  return words.flatMap((_, n) => (endOf(words, name, n, between) >= 0 ? [n] : []))
}

/** Where a name that begins there ends; -1 if it does not begin there. */
function endOf(
  words: readonly Word[],
  name: readonly string[],
  from: number,
  between = mostWordsBetween,
): number {
  let at = from
  for (const [n, part] of name.entries()) {
    const skipped = n === 0 ? 0 : words.slice(at, at + between + 1).findIndex(({ text }) => text === part)
    if (skipped < 0 || words[at + skipped]?.text !== part) return -1
    at += skipped + 1
  }
  return at - 1
}

const wordsOf = (text: string): Word[] =>
  [...text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].map(({ 0: word, index }) => ({
    text: word.toLowerCase(),
    from: index,
    to: index + word.length,
  }))

const nameOf = (name: string) => wordsOf(name).map(({ text }) => text)

function numberIn(words: string | undefined): number | undefined {
  const found = /-?\d+(?:[.,]\d+)?/u.exec(words ?? '')?.[0]
  return found === undefined ? undefined : Number(found.replace(',', '.'))
}

const plain = (text: string) =>
  ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `
