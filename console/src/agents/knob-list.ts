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
  /** Rarely needed: closed until somebody opens it. */
  isRare?: boolean
}

export const knobGroups: KnobGroup[] = [
  {
    title: 'How a call opens and ends',
    fields: [
      { knob: 'greeting', label: 'Greeting', kind: 'greeting' },
      { knob: 'hangup', label: 'Hangs up when', kind: 'hangup' },
      {
        knob: 'language',
        label: 'Language',
        kind: 'text',
        hint: 'A tag such as en or pt-BR, for ears and voice.',
      },
    ],
  },
  {
    title: 'What it runs on',
    fields: [
      { knob: 'llm', label: 'Model', kind: 'text', hint: 'vendor/model, a vendor alone, or a model alone.' },
      { knob: 'temperature', label: 'Temperature', kind: 'number' },
      { knob: 'llm_timeout_s', label: 'Seconds a turn waits for the model', kind: 'number' },
      { knob: 'stt', label: 'Ears', kind: 'text', hint: 'vendor/model, as for the model.' },
      { knob: 'tts', label: 'Vendor of the voice', kind: 'text' },
      { knob: 'tts_model', label: 'Model of the voice', kind: 'text' },
      { knob: 'voice', label: 'Voice', kind: 'text', hint: 'Its id; listen to them under Voices.' },
    ],
  },
  {
    title: 'Turns and memory',
    fields: [
      { knob: 'end_of_turn', label: 'Who ends the caller’s turn', kind: 'turn-end' },
      { knob: 'turn', label: 'Cut of a turn', kind: 'turn' },
      { knob: 'memory', label: 'Memory', kind: 'memory' },
      { knob: 'knowledge', label: 'Knowledge', kind: 'long', hint: 'Markdown, read whole into every call.' },
      { knob: 'record', label: 'Record calls', kind: 'flag' },
      { knob: 'max_duration_s', label: 'Longest call in seconds', kind: 'number', hint: '0 is no limit.' },
    ],
  },
  {
    title: 'For experts',
    isRare: true,
    fields: [
      { knob: 'judge', label: 'Judge', kind: 'text', hint: 'The model its calls are judged on.' },
      { knob: 'judge_builds', label: 'Class of the judge', kind: 'text' },
      { knob: 'judge_options', label: 'Options of the judge', kind: 'json' },
      { knob: 'llm_builds', label: 'Class of the model', kind: 'text' },
      { knob: 'llm_options', label: 'Options of the model', kind: 'json' },
      { knob: 'stt_builds', label: 'Class of the ears', kind: 'text' },
      { knob: 'stt_options', label: 'Options of the ears', kind: 'json' },
      { knob: 'tts_builds', label: 'Class of the voice', kind: 'text' },
      { knob: 'tts_options', label: 'Options of the voice', kind: 'json' },
      { knob: 'bases', label: 'Knowledge bases', kind: 'json' },
    ],
  },
]

/** As the settings call it. */
export const knobLabel = (name: string) =>
  knobGroups.flatMap(({ fields }) => fields).find(({ knob }) => knob === name)?.label ?? name

/** What a key that opens words alone may set. */
export const wordsKnobs: readonly Knob[] = ['greeting', 'memory']

/** What a class sets along with the name it declares. */
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

/** The knob that a refusal speaks of, so that its sentence stands beside it. */
export function knobNamedIn(sentence: string, changed: readonly Knob[]): Knob | undefined {
  const all = knobGroups.flatMap(({ fields }) => fields.map(({ knob }) => knob))
  const words = new Set(sentence.split(/\W+/))
  const named = all.toSorted((a, b) => b.length - a.length).find((knob) => words.has(knob))
  if (/eot_threshold|endpointing_ms|min_interruption/.test(sentence)) return 'turn'
  return named ?? (changed.length === 1 ? changed[0] : undefined)
}

/** As a person reads a value of a knob. */
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
