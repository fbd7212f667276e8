/** What a knob, or a member of one, accepts. The gateway words the refusal (`agents/knobs/knob-checks.ts`). */
export type Shape =
  | TextShape
  | NumberShape
  | FlagShape
  | ChoiceShape
  | TextsShape
  | OptionsShape
  | ObjectShape
  | ListShape

export interface TextShape {
  kind: 'text'
  /** In characters; no limit if absent. */
  longest?: number
  mayBeEmpty?: true
  /** A language tag, or the name of a class of a vendor's plugin. */
  form?: 'language' | 'class'
  /** May name values of the call's metadata, as `{{name}}`. */
  isTemplate?: true
}

export interface NumberShape {
  kind: 'number'
  isWhole?: true
  unit?: string
  from?: number
  to?: number
  above?: number
}

export interface FlagShape {
  kind: 'flag'
}

export interface ChoiceShape {
  kind: 'choice'
  choices: readonly string[]
}

/** One text, or a list of them. */
export interface TextsShape {
  kind: 'texts'
}

/** Keywords of a vendor's class, as the plugin names them. */
export interface OptionsShape {
  kind: 'options'
  longestBytes: number
}

/** An object with some of these members and no others. */
export interface ObjectShape {
  kind: 'object'
  members: Record<string, Member>
  /** The member it cannot do without, and the sentence if it is missing. */
  needs?: { member: string; refusal: string }
  /** The members of which it has exactly one, and the sentence if it has none. */
  oneOf?: { members: readonly string[]; refusal: string }
}

/** Objects of these members; no two have the same value of the needed one. */
export interface ListShape {
  kind: 'list'
  members: Record<string, Member>
  needs: { member: string; refusal: string }
}

export interface Member {
  shape: TextShape | NumberShape | FlagShape | ChoiceShape | TextsShape
  label: string
  default: Default
  /** The range in which a value makes sense, both ends included. */
  band?: readonly [number, number]
}

/** What applies while nothing sets a knob. */
export interface Default {
  /** Absent if there is none, or if it is not known before the call. */
  value?: string | number | boolean
  /** In words: the default if it has no value, or what may set another than the value. */
  note?: string
  /** The member of `defaults` in the platform's provider row (GET /v1/providers) that holds it. */
  platform?: 'llm' | 'stt' | 'tts'
  /** The value while the smart-turn model decides by the sound of the caller's voice. */
  withTurnModel?: number
}

type Members<M> = { [Name in keyof M]?: M[Name] extends { shape: infer S } ? ValueOf<S> : never }
type Needed<S, V> = S extends { needs: { member: infer Name extends keyof V } }
  ? V & Required<Pick<V, Name>>
  : V
type Flat<V> = { [Name in keyof V]: V[Name] }

/** The TypeScript type of what a shape accepts. */
export type ValueOf<S> = S extends { kind: 'text' }
  ? string
  : S extends { kind: 'number' }
    ? number
    : S extends { kind: 'flag' }
      ? boolean
      : S extends { kind: 'choice'; choices: readonly (infer Choice)[] }
        ? Choice
        : S extends { kind: 'texts' }
          ? string | string[]
          : S extends { kind: 'options' }
            ? Record<string, unknown>
            : S extends { kind: 'object'; members: infer M }
              ? Flat<Mutable<Needed<S, Members<M>>>>
              : S extends { kind: 'list'; members: infer M }
                ? Flat<Mutable<Needed<S, Members<M>>>>[]
                : never

type Mutable<V> = { -readonly [Name in keyof V]: V[Name] }
