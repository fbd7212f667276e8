import type { Default, Shape } from '@switchroom/contract/knob-shapes'
import {
  knobs,
  knobsOfName,
  knobTable,
  rowOfKnob,
  type DeclarableName,
  type Knob,
} from '@switchroom/contract/knobs'
import type { Catalogue } from '@switchroom/contract/providers'
import type { Config } from '@switchroom/contract/settings'

export interface KnobField {
  knob: Knob
  label: string
  hint?: string
  kind:
    | ('text' | 'long' | 'number' | 'flag' | 'turn-end' | 'json')
    | ('greeting' | 'hangup' | 'answering_machine' | 'turn' | 'memory' | 'bases')
}

export interface KnobGroup {
  title: string
  fields: KnobField[]
  /** Closed at first. */
  isAdvanced?: boolean
}

const groups: { title: string; knobs: Knob[]; isAdvanced?: boolean }[] = [
  { title: 'Start and end of a call', knobs: ['greeting', 'hangup', 'answering_machine', 'language'] },
  {
    title: 'Model and voice',
    knobs: ['llm', 'temperature', 'llm_timeout_s', 'stt', 'tts', 'tts_model', 'voice'],
  },
  { title: 'Turn detection', knobs: ['end_of_turn', 'turn'] },
  { title: 'Hold and transfer', knobs: ['hold_limit_s', 'hold_message', 'hold_music'] },
  {
    title: 'Memory, knowledge and recording',
    knobs: ['memory', 'knowledge', 'bases', 'record', 'max_duration_s'],
  },
  {
    title: 'Advanced',
    isAdvanced: true,
    knobs: [
      ...(['judge', 'judge_builds', 'judge_options', 'llm_builds', 'llm_options'] as const),
      ...(['stt_builds', 'stt_options', 'tts_builds', 'tts_options'] as const),
    ],
  },
]

const hints: Partial<Record<Knob, string>> = {
  language: 'A tag such as en or pt-BR, for speech-to-text and text-to-speech.',
  llm: 'vendor/model, a vendor alone, or a model alone.',
  stt: 'vendor/model, a vendor alone, or a model alone.',
  voice: 'The voice id. Listen to voices under Voices.',
  knowledge: 'Markdown. Every call gets the whole text.',
  max_duration_s: '0 means no limit.',
  hold_limit_s: 'How long the other side may hold a call. 0 means no limit.',
  judge: 'The model that evaluates calls.',
}

/** Longer texts get a large field, in characters. */
const longText = 1_000

function kindOf(knob: Knob, shape: Shape): KnobField['kind'] {
  if (knob === 'greeting' || knob === 'hangup' || knob === 'turn' || knob === 'memory') return knob
  if (knob === 'answering_machine' || knob === 'bases') return knob
  if (knob === 'end_of_turn') return 'turn-end'
  if (shape.kind === 'text') return (shape.longest ?? 0) > longText ? 'long' : 'text'
  return shape.kind === 'number' || shape.kind === 'flag' ? shape.kind : 'json'
}

function fieldOf(knob: Knob): KnobField {
  const { label, shape } = rowOfKnob(knob)
  const hint = hints[knob]
  return { knob, label, kind: kindOf(knob, shape), ...(hint !== undefined && { hint }) }
}

export const knobGroups: KnobGroup[] = groups.map(({ knobs: shown, ...group }) => ({
  ...group,
  fields: shown.map(fieldOf),
}))

const isKnob = (name: string): name is Knob => (knobs as readonly string[]).includes(name)

/** The label of a knob. */
export const knobLabel = (name: string) => (isKnob(name) ? rowOfKnob(name).label : name)

export function isDeclared(knob: Knob, fixed: readonly string[]): boolean {
  return fixed.some((name) => knobsOfName(name as DeclarableName).includes(knob))
}

/** Vendors and models as the gateway answers them; without the scope `providers` it does not. */
export interface KnownVendors {
  catalogue: Catalogue | undefined
  judge: string | null | undefined
}

/** The value that a call uses while a knob is not set, as text. */
export function defaultOf(knob: Knob, { tts }: Config, { catalogue, judge }: KnownVendors): string {
  const { default: own } = rowOfKnob(knob)
  if (own.platform) return catalogue?.defaults[own.platform] ?? 'set by the platform'
  if (knob === 'judge') return judge ?? 'set by the platform'
  const first =
    knob === 'tts_model' ? catalogue?.models[`tts/${tts ?? catalogue.defaults.tts}`]?.[0] : undefined
  return first ?? defaultText(own)
}

export function defaultText({ value, withTurnModel, note }: Default): string {
  if (note !== undefined || value === undefined) return note ?? 'none'
  const plain = shownValue(value)
  return withTurnModel === undefined ? plain : `${plain} (${withTurnModel} with smart-turn)`
}

const turnMembers = Object.keys(knobTable.turn.shape.members)

/** The knob that a refusal names, to show the error beside its field. */
export function knobNamedIn(sentence: string, changed: readonly Knob[]): Knob | undefined {
  const words = new Set(sentence.split(/\W+/))
  if (turnMembers.some((name) => words.has(name))) return 'turn'
  const named = knobs.toSorted((a, b) => b.length - a.length).find((knob) => words.has(knob))
  return named ?? (changed.length === 1 ? changed[0] : undefined)
}

/** A value of a knob as text. */
export function shownValue(value: Config[Knob] | Default['value']): string {
  if (value === undefined) return 'not set'
  if (typeof value === 'string') return value === '' ? 'empty' : value
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.length === 0 ? 'none' : JSON.stringify(value)
  return Object.entries(value)
    .map(([name, inner]) => `${name}: ${typeof inner === 'string' ? inner : JSON.stringify(inner)}`)
    .join(', ')
}
