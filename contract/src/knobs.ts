import type { Default, Shape } from './knob-shapes.ts'

/** One setting of an agent. */
export interface KnobRow {
  /** The part of a call it configures. */
  stage: 'tts' | 'stt' | 'llm' | 'judge' | 'turn' | 'call'
  shape: Shape
  default: Default
  /** Its name on screen. */
  label: string
  /** What it does, for the docs page. */
  about: string
  /** The name under which a class declares it in code; null if only the settings endpoint sets it. */
  declaredAs: DeclarableName | null
  /** A key that opens `words` alone may set it. */
  isWords?: true
  /** Adjusts its stage without choosing what the stage runs on: a change of it alone is not tried. */
  isTuning?: true
  /** Why no call reads it yet. */
  notBuilt?: string
}

/** The names a class may declare, in the order `fixed` lists them. */
export const declarableNames = [
  'language',
  'voice',
  'llm',
  'stt',
  'judge',
  'greeting',
  'hangup',
  'turn',
  'knowledge',
  'docs',
  'memory',
  'record',
] as const
export type DeclarableName = (typeof declarableNames)[number]

/** The longest name of a vendor, a model or a voice, in characters. */
export const longestWord = 200

const word = { kind: 'text', longest: longestWord } as const
const text = { kind: 'text' } as const
const flag = { kind: 'flag' } as const
const wholeFrom0 = { kind: 'number', isWhole: true, from: 0 } as const
const className = { kind: 'text', longest: longestWord, form: 'class' } as const
const options = { kind: 'options', longestBytes: 8_192 } as const

/** How long a turn waits for what it looks up, if the settings do not say. */
export const lookUpDeadlineMs = 150

const modelForms = '`vendor/model`, a vendor (its default model), or a model (of the vendor in use)'

/** Another class of the stage's plugin than its default. */
const builds = <S extends KnobRow['stage'], N extends DeclarableName>(
  stage: S,
  name: string,
  declaredAs: N,
) => ({
  stage,
  shape: className,
  default: { note: 'set by the vendor' },
  label: `${name}: implementation`,
  about: "another class of the vendor's plugin, only with the org's own key",
  declaredAs,
})

/** That class's own keywords. */
const optionsOf = <S extends KnobRow['stage'], N extends DeclarableName>(
  stage: S,
  name: string,
  declaredAs: N,
) => ({
  stage,
  shape: options,
  default: { note: 'set by the platform' },
  label: `${name}: options`,
  about: "keywords of the class, only with the org's own key",
  declaredAs,
})

/**
 * Every setting of an agent, in the order in which refusals and diffs name them. A knob's default is here and
 * nowhere else; models and vendors are data of the platform, so that their rows name the member that holds them.
 */
export const knobTable = {
  voice: {
    stage: 'tts',
    shape: word,
    default: { note: 'set by the vendor' },
    label: 'Voice',
    about: 'id of the voice',
    declaredAs: 'voice',
  },
  tts: {
    stage: 'tts',
    shape: word,
    default: { platform: 'tts' },
    label: 'Text-to-speech vendor',
    about: 'vendor that speaks, without a model',
    declaredAs: 'voice',
  },
  tts_model: {
    stage: 'tts',
    shape: word,
    default: { note: 'set by the vendor' },
    label: 'Text-to-speech model',
    about: 'model that speaks',
    declaredAs: 'voice',
  },
  stt: {
    stage: 'stt',
    shape: word,
    default: { platform: 'stt' },
    label: 'Speech-to-text',
    about: modelForms,
    declaredAs: 'stt',
  },
  llm: {
    stage: 'llm',
    shape: word,
    default: { platform: 'llm' },
    label: 'Model',
    about: modelForms,
    declaredAs: 'llm',
  },
  temperature: {
    stage: 'llm',
    shape: { kind: 'number' },
    default: { note: 'set by the vendor' },
    label: 'Temperature',
    about: "within the vendor's range",
    declaredAs: 'llm',
    isTuning: true,
  },
  end_of_turn: {
    stage: 'turn',
    shape: { kind: 'choice', choices: ['stt', 'framework', 'smart-turn'] },
    default: { value: 'framework', note: 'set by the platform for the speech-to-text model' },
    label: 'Turn detection',
    about:
      'what decides that the caller has finished: `stt` (the speech-to-text vendor), `framework` (silence and words) or `smart-turn` (a model on the worker that judges the sound)',
    declaredAs: 'stt',
  },
  llm_builds: builds('llm', 'Model', 'llm'),
  stt_builds: builds('stt', 'Speech-to-text', 'stt'),
  tts_builds: builds('tts', 'Text-to-speech', 'voice'),
  llm_options: optionsOf('llm', 'Model', 'llm'),
  stt_options: optionsOf('stt', 'Speech-to-text', 'stt'),
  tts_options: optionsOf('tts', 'Text-to-speech', 'voice'),
  judge: {
    stage: 'judge',
    shape: word,
    default: { note: "the org's evaluation model, else the platform's, else the platform's default model" },
    label: 'Evaluation model',
    about: 'model that evaluates the calls, named like `llm`',
    declaredAs: 'judge',
  },
  judge_builds: builds('judge', 'Evaluation', 'judge'),
  judge_options: optionsOf('judge', 'Evaluation', 'judge'),
  language: {
    stage: 'call',
    shape: { kind: 'text', longest: longestWord, form: 'language' },
    default: { note: 'set by the vendor' },
    label: 'Language',
    about: 'a tag such as `en` or `pt-BR`, for speech-to-text and text-to-speech',
    declaredAs: 'language',
  },
  greeting: {
    stage: 'call',
    shape: {
      kind: 'object',
      members: {
        say: { shape: { kind: 'text', isTemplate: true }, label: 'Greeting text', default: {} },
        reply: {
          shape: { kind: 'text', mayBeEmpty: true, isTemplate: true },
          label: 'Instructions for the greeting',
          default: {},
        },
        allow_interruptions: {
          shape: flag,
          label: 'Caller can interrupt the greeting',
          default: { value: false },
        },
      },
      oneOf: { members: ['say', 'reply'], refusal: 'opens with say or with reply' },
    },
    default: { note: 'none' },
    label: 'Greeting',
    about:
      'how a call starts: `say` a fixed text, or let the model `reply` to an instruction; without it the agent waits for the caller',
    declaredAs: 'greeting',
    isWords: true,
  },
  hangup: {
    stage: 'call',
    shape: {
      kind: 'object',
      members: { when: { shape: text, label: 'Hang up when', default: {} } },
      needs: { member: 'when', refusal: 'says when the agent hangs up' },
    },
    default: { note: 'never' },
    label: 'Hang up when',
    about: 'when the agent ends the call, described in text',
    declaredAs: 'hangup',
  },
  answering_machine: {
    stage: 'call',
    shape: {
      kind: 'object',
      members: {
        action: {
          shape: { kind: 'choice', choices: ['go_on', 'hang_up', 'leave_message'] },
          label: 'If a machine answers',
          default: { value: 'go_on' },
        },
        message: { shape: { kind: 'text', longest: 2_000 }, label: 'Message after the beep', default: {} },
      },
      needs: { member: 'action', refusal: 'says what happens: go_on, hang_up or leave_message' },
    },
    default: { note: 'the agent talks to whatever answers' },
    label: 'Answering machine',
    about:
      'what happens if a machine answers a call that the agent dialled: `go_on`, `hang_up`, or `leave_message` after the beep, which is `message` (else the text of the greeting); unless it is `go_on`, the agent says nothing until it is known who answered, at most 3 seconds',
    declaredAs: null,
  },
  turn: {
    stage: 'turn',
    shape: {
      kind: 'object',
      members: {
        min_interruption_words: { shape: wholeFrom0, label: 'Barge-in: words', default: { value: 0 } },
        endpointing_ms: {
          shape: wholeFrom0,
          label: 'Endpointing silence (ms)',
          default: { value: 500, withTurnModel: 0 },
        },
        min_interruption_ms: {
          shape: wholeFrom0,
          label: 'Barge-in: speech (ms)',
          default: { value: 500 },
        },
        eot_threshold: {
          shape: { kind: 'number' },
          label: 'End-of-turn threshold',
          default: { value: 0.7, note: 'set by the vendor or the smart-turn model' },
          band: [0.5, 0.9],
        },
        eager_eot_threshold: {
          shape: { kind: 'number' },
          label: 'Eager end-of-turn threshold',
          default: { value: 0.5, note: 'set by the vendor; smart-turn has none' },
          band: [0.3, 0.9],
        },
      },
    },
    default: { note: 'see its members' },
    label: 'Endpointing and barge-in',
    about: 'how long the caller pauses before the agent answers, and what stops the agent while it speaks',
    declaredAs: 'turn',
  },
  memory: {
    stage: 'call',
    shape: {
      kind: 'object',
      members: {
        remember: { shape: { kind: 'texts' }, label: 'What to remember about a caller', default: {} },
        forget: { shape: { kind: 'texts' }, label: 'What to forget', default: {} },
      },
    },
    default: { note: 'none' },
    label: 'Memory',
    about: 'what the agent remembers about a contact from one call to the next',
    declaredAs: 'memory',
    isWords: true,
  },
  record: {
    stage: 'call',
    shape: flag,
    default: { value: false },
    label: 'Record calls',
    about: 'whether spoken calls are recorded',
    declaredAs: 'record',
  },
  max_duration_s: {
    stage: 'call',
    shape: wholeFrom0,
    default: { value: 0 },
    label: 'Maximum call duration (seconds)',
    about: 'when a spoken call is ended; 0 means no limit',
    declaredAs: null,
  },
  hold_limit_s: {
    stage: 'call',
    shape: wholeFrom0,
    default: { value: 900 },
    label: 'Longest hold (seconds)',
    about:
      'how long the other side may hold a phone call before it is ended; meanwhile nothing is heard and nobody counts as idle; 0 means no limit',
    declaredAs: null,
  },
  hold_message: {
    stage: 'call',
    shape: { kind: 'text', longest: 1_000 },
    default: { note: 'none' },
    label: 'Said while a transfer rings',
    about: 'what the agent says to the caller when the other person of a warm transfer is being called',
    declaredAs: null,
  },
  hold_music: {
    stage: 'call',
    shape: flag,
    default: { value: false },
    label: 'Tones while a transfer rings',
    about:
      'whether the caller hears soft tones, while nobody speaks, until the other person of a warm transfer answers; on phone legs and in browsers, not in rooms of a LiveKit server',
    declaredAs: null,
  },
  llm_timeout_s: {
    stage: 'call',
    shape: { kind: 'number', unit: 'seconds', above: 0 },
    default: { value: 12 },
    label: 'Model timeout (seconds)',
    about: "how long a turn waits for the model's first word, retries included",
    declaredAs: null,
  },
  knowledge: {
    stage: 'call',
    shape: { kind: 'text', longest: 100_000 },
    default: { note: 'none' },
    label: 'Knowledge',
    about: 'Markdown; every call gets the whole text',
    declaredAs: 'knowledge',
  },
  bases: {
    stage: 'call',
    shape: {
      kind: 'list',
      members: {
        base: { shape: text, label: 'Base', default: {} },
        mode: {
          shape: { kind: 'choice', choices: ['auto', 'always', 'tool', 'whole'] },
          label: 'Mode',
          default: { value: 'auto', note: 'looked up before every turn; `always` is the same' },
        },
        k: {
          shape: { kind: 'number', isWhole: true, from: 1, to: 50 },
          label: 'Passages',
          default: { value: 5 },
        },
        min_score: {
          shape: { kind: 'number', from: 0, to: 1 },
          label: 'Minimum score',
          default: { value: 0 },
        },
        deadline_ms: {
          shape: { kind: 'number', isWhole: true, from: 20, to: 2_000 },
          label: 'Longest look-up (ms)',
          default: { note: `${lookUpDeadlineMs}; a turn waits no longer for it` },
        },
      },
      needs: { member: 'base', refusal: 'names no base' },
    },
    default: { note: 'none' },
    label: 'Knowledge bases',
    about:
      'the knowledge bases that the agent answers from: `auto` looks up what each turn is about, with `tool` the model searches when it wants to, with `whole` every call gets the whole base',
    declaredAs: 'docs',
  },
} as const satisfies Record<string, KnobRow>

export type Knob = keyof typeof knobTable

/** Every knob, in the order of the table. */
export const knobs = Object.keys(knobTable) as readonly Knob[]

export const rowOfKnob = (knob: Knob): KnobRow => knobTable[knob]

type Valued<M> = {
  [N in keyof M as M[N] extends { default: { value: unknown } } ? N : never]: M[N] extends {
    default: { value: infer Value }
  }
    ? Value
    : never
}

/** The defaults of a knob's members, those that have a value. */
export function memberDefaults<Name extends 'greeting' | 'turn' | 'bases' | 'answering_machine'>(knob: Name) {
  const members: Record<string, { default: Default }> = knobTable[knob].shape.members
  const valued = Object.entries(members).filter(([, { default: own }]) => own.value !== undefined)
  return Object.fromEntries(valued.map(([name, { default: own }]) => [name, own.value])) as Valued<
    (typeof knobTable)[Name]['shape']['members']
  >
}

/** What a key that opens `words` alone may set. */
export const wordsKnobs: readonly Knob[] = knobs.filter((knob) => rowOfKnob(knob).isWords)

const byName = new Map(
  declarableNames.map((name) => {
    const fixed = knobs.filter((knob) => rowOfKnob(knob).declaredAs === name)
    const isOwn = (knob: Knob) => rowOfKnob(knob).stage === rowOfKnob(fixed[0] ?? knob).stage
    return [name, [...fixed.filter(isOwn), ...fixed.filter((knob) => !isOwn(knob))]] as const
  }),
)

/** The knobs that a declared name fixes, also those it leaves out: first the ones of its own stage. */
export const knobsOfName = (name: DeclarableName): readonly Knob[] => byName.get(name) ?? []
