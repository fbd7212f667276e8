import type { Knob } from '@switchroom/contract/settings'
import { isLanguageTag } from '../../providers/parsing/language-tags.ts'
import { longestWord } from '../../providers/parsing/stage-parsing.ts'
import { codePoints } from '../../foundation/text.ts'

const longestKnowledge = 100_000
const longestOptionsBytes = 8_192

/** What is wrong with a value, as the end of a sentence that starts with its name; undefined when nothing is. */
type Fault = string | undefined
type Shape = (value: unknown) => Fault

const isBlank = (value: unknown) => value === null || (typeof value === 'string' && value.trim() === '')
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const text =
  (longest: number): Shape =>
  (value) => {
    if (isBlank(value)) return 'is blank'
    if (typeof value !== 'string') return 'is text'
    return codePoints(value).length > longest ? `is at most ${longest} characters` : undefined
  }
const word = text(longestWord)
const anyText = text(Number.POSITIVE_INFINITY)

const number =
  (says: string, isFit: (value: number) => boolean): Shape =>
  (value) =>
    typeof value === 'number' && Number.isFinite(value) && isFit(value) ? undefined : `is ${says}`
const anyNumber = number('a number', () => true)
const count = number('a whole number from 0', (value) => Number.isInteger(value) && value >= 0)

const flag: Shape = (value) => (typeof value === 'boolean' ? undefined : 'is true or false')

const className: Shape = (value) =>
  word(value) ??
  (/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(String(value))
    ? undefined
    : "is the name of one of the plugin's classes")

const options: Shape = (value) => {
  if (!isObject(value)) return isBlank(value) ? 'is blank' : 'is an object of keywords'
  return Buffer.byteLength(JSON.stringify(value)) > longestOptionsBytes
    ? `is at most ${longestOptionsBytes} bytes`
    : undefined
}

/** An object with some of these members and no others. */
const members =
  (shapes: Record<string, Shape>): Shape =>
  (value) => {
    if (!isObject(value)) return isBlank(value) ? 'is blank' : 'is an object'
    for (const [name, member] of Object.entries(value)) {
      const shape = shapes[name]
      if (!shape) return `has no ${name}: it takes ${Object.keys(shapes).join(', ')}`
      const fault = shape(member)
      if (fault) return `has a ${name} that ${fault}`
    }
    return undefined
  }

const greeting: Shape = (value) => {
  const fault = members({
    say: anyText,
    reply: (said) => (said === '' ? undefined : anyText(said)),
    allow_interruptions: flag,
  })(value)
  if (isObject(value) && value['say'] !== undefined && value['reply'] !== undefined)
    return 'opens with say or with reply, not with both'
  if (fault) return fault
  return isObject(value) && value['say'] === undefined && value['reply'] === undefined
    ? 'opens with say or with reply'
    : undefined
}

const hangup: Shape = (value) =>
  members({ when: anyText })(value) ??
  (isObject(value) && value['when'] === undefined ? 'says when the agent hangs up' : undefined)

const texts: Shape = (value) => {
  if (!Array.isArray(value)) return anyText(value)
  return value.map(anyText).find((fault) => fault !== undefined)
}

const base = members({
  base: anyText,
  mode: (value) => (value === 'auto' || value === 'tool' ? undefined : 'is auto or tool'),
  k: number('a whole number from 1 to 50', (value) => Number.isInteger(value) && value >= 1 && value <= 50),
  min_score: number('a number from 0 to 1', (value) => value >= 0 && value <= 1),
})

const bases: Shape = (value) => {
  if (!Array.isArray(value)) return isBlank(value) ? 'is blank' : 'is a list'
  const names = new Set<unknown>()
  for (const item of value) {
    const fault = base(item) ?? (isObject(item) && item['base'] === undefined ? 'names no base' : undefined)
    if (fault) return `has an item that ${fault}`
    const { base: name } = item as { base: string }
    if (names.has(name)) return `names ${name} twice`
    names.add(name)
  }
  return undefined
}

const shapes: Record<Knob, Shape> = {
  voice: word,
  tts: word,
  tts_model: word,
  stt: word,
  llm: word,
  temperature: anyNumber,
  end_of_turn: (value) =>
    isBlank(value)
      ? 'is blank'
      : ['stt', 'framework', 'smart-turn'].includes(value as string)
        ? undefined
        : 'is stt, framework or smart-turn',
  llm_builds: className,
  stt_builds: className,
  tts_builds: className,
  llm_options: options,
  stt_options: options,
  tts_options: options,
  judge: word,
  judge_builds: className,
  judge_options: options,
  language: (value) =>
    word(value) ?? (isLanguageTag(String(value)) ? undefined : 'is a tag such as en or pt-BR'),
  greeting,
  hangup,
  turn: members({
    min_interruption_words: count,
    endpointing_ms: count,
    min_interruption_ms: count,
    eot_threshold: anyNumber,
    eager_eot_threshold: anyNumber,
  }),
  memory: members({ remember: texts, forget: texts }),
  record: flag,
  max_duration_s: count,
  llm_timeout_s: number('a number of seconds above 0', (value) => value > 0),
  knowledge: text(longestKnowledge),
  bases,
}

/** The sentence that refuses a value outside the shape of its knob; undefined for one inside it. */
export function whyMisshapen(knob: Knob, value: unknown): string | undefined {
  const fault = shapes[knob](value)
  return fault === undefined ? undefined : `\`${knob}\` ${fault}`
}
