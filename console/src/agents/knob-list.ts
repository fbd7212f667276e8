import type { Config, Knob } from '@switchroom/contract/settings'

export interface KnobField {
  knob: Knob
  label: string
  hint?: string
  kind: 'text' | 'long' | 'number' | 'flag' | 'turn-end' | 'greeting' | 'hangup' | 'turn' | 'memory' | 'json'
}

export interface KnobGroup {
  title: string
  fields: KnobField[]
  /** Closed at first. */
  isAdvanced?: boolean
}

export const knobGroups: KnobGroup[] = [
  {
    title: 'Start and end of a call',
    fields: [
      { knob: 'greeting', label: 'Greeting', kind: 'greeting' },
      { knob: 'hangup', label: 'Hang up when', kind: 'hangup' },
      {
        knob: 'language',
        label: 'Language',
        kind: 'text',
        hint: 'A tag such as en or pt-BR, for speech-to-text and text-to-speech.',
      },
    ],
  },
  {
    title: 'Model and voice',
    fields: [
      { knob: 'llm', label: 'Model', kind: 'text', hint: 'vendor/model, a vendor alone, or a model alone.' },
      { knob: 'temperature', label: 'Temperature', kind: 'number' },
      { knob: 'llm_timeout_s', label: 'Model timeout (seconds)', kind: 'number' },
      {
        knob: 'stt',
        label: 'Speech-to-text',
        kind: 'text',
        hint: 'vendor/model, a vendor alone, or a model alone.',
      },
      { knob: 'tts', label: 'Text-to-speech vendor', kind: 'text' },
      { knob: 'tts_model', label: 'Text-to-speech model', kind: 'text' },
      { knob: 'voice', label: 'Voice', kind: 'text', hint: 'The voice id. Listen to voices under Voices.' },
    ],
  },
  {
    title: 'Turn detection',
    fields: [
      { knob: 'end_of_turn', label: 'Turn detection', kind: 'turn-end' },
      { knob: 'turn', label: 'Endpointing and barge-in', kind: 'turn' },
    ],
  },
  {
    title: 'Memory, knowledge and recording',
    fields: [
      { knob: 'memory', label: 'Memory', kind: 'memory' },
      {
        knob: 'knowledge',
        label: 'Knowledge',
        kind: 'long',
        hint: 'Markdown. Every call gets the whole text.',
      },
      { knob: 'record', label: 'Record calls', kind: 'flag' },
      {
        knob: 'max_duration_s',
        label: 'Maximum call duration (seconds)',
        kind: 'number',
        hint: '0 means no limit.',
      },
    ],
  },
  {
    title: 'Advanced',
    isAdvanced: true,
    fields: [
      { knob: 'judge', label: 'Evaluation model', kind: 'text', hint: 'The model that evaluates calls.' },
      { knob: 'judge_builds', label: 'Evaluation: implementation', kind: 'text' },
      { knob: 'judge_options', label: 'Evaluation: options', kind: 'json' },
      { knob: 'llm_builds', label: 'Model: implementation', kind: 'text' },
      { knob: 'llm_options', label: 'Model: options', kind: 'json' },
      { knob: 'stt_builds', label: 'Speech-to-text: implementation', kind: 'text' },
      { knob: 'stt_options', label: 'Speech-to-text: options', kind: 'json' },
      { knob: 'tts_builds', label: 'Text-to-speech: implementation', kind: 'text' },
      { knob: 'tts_options', label: 'Text-to-speech: options', kind: 'json' },
      { knob: 'bases', label: 'Knowledge bases', kind: 'json' },
    ],
  },
]

/** The label of a knob. */
export const knobLabel = (name: string) =>
  knobGroups.flatMap(({ fields }) => fields).find(({ knob }) => knob === name)?.label ?? name

/** What a key with the scope `words` alone may set. */
export const wordsKnobs: readonly Knob[] = ['greeting', 'memory']

/** The knobs that code sets with each name it declares. */
const declaredWith: Partial<Record<string, readonly Knob[]>> = {
  voice: ['voice', 'tts', 'tts_model', 'tts_builds', 'tts_options'],
  llm: ['llm', 'temperature', 'llm_builds', 'llm_options'],
  stt: ['stt', 'stt_builds', 'stt_options', 'end_of_turn'],
  judge: ['judge', 'judge_builds', 'judge_options'],
  docs: ['bases'],
}

export function isDeclared(knob: Knob, fixed: readonly string[]): boolean {
  return fixed.some((name) => name === knob || declaredWith[name]?.includes(knob))
}

/** The knob that a refusal names, to show the error beside its field. */
export function knobNamedIn(sentence: string, changed: readonly Knob[]): Knob | undefined {
  const all = knobGroups.flatMap(({ fields }) => fields.map(({ knob }) => knob))
  const words = new Set(sentence.split(/\W+/))
  const named = all.toSorted((a, b) => b.length - a.length).find((knob) => words.has(knob))
  if (/eot_threshold|endpointing_ms|min_interruption/.test(sentence)) return 'turn'
  return named ?? (changed.length === 1 ? changed[0] : undefined)
}

/** A value of a knob as text. */
export function shownValue(value: Config[Knob]): string {
  if (value === undefined) return 'not set'
  if (typeof value === 'string') return value === '' ? 'empty' : value
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.length === 0 ? 'none' : JSON.stringify(value)
  return Object.entries(value)
    .map(([name, inner]) => `${name}: ${typeof inner === 'string' ? inner : JSON.stringify(inner)}`)
    .join(', ')
}
