import type {
  ListShape,
  Member,
  NumberShape,
  ObjectShape,
  Shape,
  TextShape,
} from '@switchroom/contract/knob-shapes'
import { rowOfKnob, type Knob } from '@switchroom/contract/knobs'
import { templateFault } from '@switchroom/contract/metadata-templates'
import { badRequest } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'
import { isLanguageTag } from '../../providers/parsing/language-tags.ts'

/** What is wrong with a value, as the end of a sentence that starts with its name; undefined when nothing is. */
type Fault = string | undefined

/** The sentence that refuses a value outside the shape of its knob; undefined for one inside it. */
export function whyMisshapen(knob: Knob, value: unknown): string | undefined {
  const { shape } = rowOfKnob(knob)
  const fault = shape.kind === 'choice' && isBlank(value) ? 'is blank' : faultOf(shape, value)
  return fault === undefined ? undefined : `\`${knob}\` ${fault}`
}

/** Refuses a member outside the range in which its value makes sense. */
export function refuseOutOfBand(knob: Knob, value: Record<string, unknown> | undefined) {
  const { shape } = rowOfKnob(knob)
  if (shape.kind !== 'object') return
  for (const [name, { band }] of Object.entries(shape.members)) {
    const set = value?.[name]
    if (!band || typeof set !== 'number') continue
    const [least, most] = band
    if (set < least || set > most) throw badRequest(`${name} ${set} is outside ${least} to ${most}`)
  }
}

const isBlank = (value: unknown) => value === null || (typeof value === 'string' && value.trim() === '')
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function faultOf(shape: Shape, value: unknown): Fault {
  if (shape.kind === 'text') return textFault(shape, value)
  if (shape.kind === 'number') return numberFault(shape, value)
  if (shape.kind === 'flag') return typeof value === 'boolean' ? undefined : 'is true or false'
  if (shape.kind === 'choice')
    return shape.choices.includes(value as string) ? undefined : `is ${either(shape.choices)}`
  if (shape.kind === 'texts')
    return [value]
      .flat()
      .map((one) => textFault({ kind: 'text' }, one))
      .find((fault) => fault !== undefined)
  if (shape.kind === 'options') return optionsFault(shape.longestBytes, value)
  return shape.kind === 'object' ? objectFault(shape, value) : listFault(shape, value)
}

function optionsFault(longestBytes: number, value: unknown): Fault {
  if (!isObject(value)) return isBlank(value) ? 'is blank' : 'is an object of keywords'
  return Buffer.byteLength(JSON.stringify(value)) > longestBytes
    ? `is at most ${longestBytes} bytes`
    : undefined
}

function objectFault({ members, needs, oneOf }: ObjectShape, value: unknown): Fault {
  const stated = oneOf?.members.filter((name) => isObject(value) && value[name] !== undefined) ?? []
  if (oneOf && stated.length > 1) return `${oneOf.refusal}, not with both`
  const fault = membersFault(members, needs, value)
  return fault ?? (oneOf && stated.length === 0 ? oneOf.refusal : undefined)
}

function listFault({ members, needs }: ListShape, value: unknown): Fault {
  if (!Array.isArray(value)) return isBlank(value) ? 'is blank' : 'is a list'
  const names = new Set<unknown>()
  for (const item of value) {
    const fault = membersFault(members, needs, item)
    if (fault) return `has an item that ${fault}`
    const name = (item as Record<string, unknown>)[needs.member] as string
    if (names.has(name)) return `names ${name} twice`
    names.add(name)
  }
  return undefined
}

function textFault({ longest = Infinity, mayBeEmpty, form, isTemplate }: TextShape, value: unknown): Fault {
  if (mayBeEmpty && value === '') return undefined
  if (isBlank(value)) return 'is blank'
  if (typeof value !== 'string') return 'is text'
  if (codePoints(value).length > longest) return `is at most ${longest} characters`
  if (form === 'language' && !isLanguageTag(value)) return 'is a tag such as en or pt-BR'
  if (form === 'class' && !/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(value))
    return "is the name of one of the plugin's classes"
  return isTemplate ? templateFault(value) : undefined
}

function numberFault(shape: NumberShape, value: unknown): Fault {
  const { isWhole, from = -Infinity, to = Infinity, above = -Infinity } = shape
  const isFit =
    typeof value === 'number' &&
    Number.isFinite(value) &&
    (!isWhole || Number.isInteger(value)) &&
    value >= from &&
    value <= to &&
    value > above
  return isFit ? undefined : `is ${numberWords(shape)}`
}

const numberWords = ({ isWhole, unit, from, to, above }: NumberShape) =>
  [
    isWhole ? 'a whole number' : 'a number',
    unit && `of ${unit}`,
    from !== undefined && `from ${from}`,
    to !== undefined && `to ${to}`,
    above !== undefined && `above ${above}`,
  ]
    .filter(Boolean)
    .join(' ')

function membersFault(
  members: Record<string, Member>,
  needs: { member: string; refusal: string } | undefined,
  value: unknown,
): Fault {
  if (!isObject(value)) return isBlank(value) ? 'is blank' : 'is an object'
  for (const [name, set] of Object.entries(value)) {
    const member = Object.hasOwn(members, name) ? members[name] : undefined
    if (!member) return `has no ${name}: it takes ${Object.keys(members).join(', ')}`
    const fault = faultOf(member.shape, set)
    if (fault) return `has a ${name} that ${fault}`
  }
  return needs && value[needs.member] === undefined ? needs.refusal : undefined
}

/** `a, b or c`. */
const either = (choices: readonly string[]) => choices.join(', ').replace(/, ([^,]*)$/, ' or $1')
