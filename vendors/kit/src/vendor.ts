import type { Duplex } from 'node:stream'
import type { VoiceEntry } from '@switchroom/contract/speech'

export type Scalar = string | number | boolean
export type Credentials = Readonly<Record<string, Scalar>>

/** What a class of a vendor is built with: its own keywords, as its manifest names them, and secrets. */
export interface Setting {
  readonly class: string
  readonly keywords: Readonly<Record<string, unknown>>
  readonly credentials: Credentials
}

/**
 * The main export of a vendor package. Every method fails with a `VendorFailure`, ends soon after `signal`
 * aborts, and applies backpressure while what it yields is not read.
 */
export interface Adapter {
  voice?(setting: Setting): Voice
  transcriber?(setting: Setting): Transcriber
  model?(setting: Setting): Model
  /** Of the classes that its manifest calls `realtime`. */
  realtime?(setting: Setting): RealtimeModel
  /** The vendor's own voices, in the vendor's order. */
  voices?(setting: Setting, signal: AbortSignal): Promise<VoiceEntry[]>
  /** Of a vendor that runs on this machine: loads what its first use would wait for. Asked again while it may be used. */
  warm?(signal: AbortSignal): Promise<void>
  /**
   * Of a vendor that runs programs on this machine: from now on another process of ours, at the other end of the
   * channel, uses them, too. The vendor shares them fairly, and frees what that process held when the channel closes.
   */
  lend?(channel: Duplex): void
  /** The other side of it: uses the programs of the process at the other end, and starts none. */
  borrow?(channel: Duplex): void
}

export interface Voice {
  /** Of the signed 16-bit little-endian mono samples that `speak` yields. */
  readonly sampleRate: number
  speak(text: string, signal: AbortSignal): AsyncIterable<Spoken>
  /** Opens the connection that the next request will use, and asks nothing. Absent if there is none to open. */
  connect?(): Promise<void>
}

export type Spoken =
  | { type: 'audio'; pcm: Uint8Array }
  /** Seconds from the start of the audio. A vendor that gives no word times yields none. */
  | { type: 'word'; word: string; start: number; end: number }

export interface Transcriber {
  /** Live: absent if the class takes only a whole utterance. */
  listen?(audio: AsyncIterable<LiveAudio>, sampleRate: number, signal: AbortSignal): AsyncIterable<Heard>
  /**
   * A whole recording: absent if the class only listens live. A vendor that knows some of the text before the rest says
   * it with `tell`; what it told is the beginning of the transcript's text.
   */
  transcribe?(recording: Recording, signal: AbortSignal, tell?: (text: string) => void): Promise<Transcript>
  /** A whole recording of any language, in English: for the models that the manifest's `translates` names. */
  translate?(recording: Recording, signal: AbortSignal): Promise<Transcript>
}

/** Samples as of `Voice`, or the wish to have committed what was heard so far. */
export type LiveAudio = Uint8Array | 'finalize'

export type Heard =
  /** The vendor took the connection: the first that is ever heard. */
  | { type: 'ready' }
  /** What the words sound like so far; replaced by the next partial or final. */
  | { type: 'partial'; text: string }
  | ({ type: 'final' } & Utterance)
  /** From transcribers with turn detection. `eager` is a guess that `resumed` takes back. */
  | { type: 'turn'; state: 'started' | 'eager' | 'resumed' | 'ended' }

export interface Utterance {
  text: string
  start?: number
  end?: number
  language?: string
  speaker?: number
  words?: HeardWord[]
}

/** Seconds from the start of the audio; speakers count from 0 in order of appearance. */
export interface HeardWord {
  word: string
  start: number
  end: number
  speaker?: number
}

export interface Recording {
  bytes: Uint8Array
  /** Such as `audio/wav`; a class that takes only some forms says so in its manifest's `formats`. */
  mediaType: string
}

export interface Transcript {
  text: string
  /** Two letters, or null if the vendor does not say. */
  language: string | null
  /** Seconds, or null if the vendor does not say. */
  duration: number | null
  words: HeardWord[]
  segments: { start: number; end: number; text: string; speaker?: number }[]
}

export interface Model {
  think(conversation: Conversation, signal: AbortSignal): AsyncIterable<Thought>
  /** Opens the connection that the next request will use, and asks nothing. Absent if there is none to open. */
  connect?(): Promise<void>
}

export interface Conversation {
  messages: readonly Message[]
  tools?: readonly Tool[]
}

export type Message =
  | { role: 'system' | 'user'; text: string }
  | { role: 'assistant'; text: string; calls?: readonly ToolCall[] }
  | { role: 'tool'; call: string; name: string; text: string }

export interface Tool {
  name: string
  description: string
  /** JSON Schema of an object. */
  parameters: object
}

export interface ToolCall {
  id: string
  name: string
  /** Complete JSON: the model's pieces are joined. */
  arguments: string
}

export type Thought =
  | { type: 'text'; text: string }
  | ({ type: 'call' } & ToolCall)
  | {
      type: 'usage'
      inputTokens: number
      outputTokens: number
      /** Of models that hear and speak: how many of the tokens are sound. */
      inputAudioTokens?: number
      outputAudioTokens?: number
    }

/** A model that hears and speaks for itself. */
export interface RealtimeModel {
  /** Of the signed 16-bit little-endian mono samples, both ways. */
  readonly sampleRate: number
  /** Of the samples that it takes, if that is another rate. */
  readonly inputRate?: number
  /** One conversation, until `asked` ends. It says when the party spoke, and replies only when it is asked to. */
  converse(asked: AsyncIterable<RealtimeAsked>, signal: AbortSignal): AsyncIterable<RealtimeTold>
}

export type RealtimeAsked =
  /** What the party says. */
  | Uint8Array
  /** The session heard a voice begin, or be quiet for long enough: for models that do not detect turns themselves. */
  | { type: 'speech'; state: 'started' | 'ended' }
  /** What was said before, or became of a tool that it called. */
  | { type: 'tell'; message: Message }
  /** One reply at a time; the instructions and tools are those of this reply alone. */
  | { type: 'reply'; reply: string; instructions: string; tools: readonly Tool[] }
  /** A reply that is exactly this text. */
  | { type: 'say'; reply: string; text: string }
  /** Stop the reply. */
  | { type: 'stop'; reply: string }
  /** Of what an item of a reply says the party heard only so much. */
  | { type: 'cut'; item: string; heardMs: number }

export type RealtimeTold =
  /** The vendor took the connection and what it was set to: always the first event. */
  | { type: 'ready' }
  /** The party's turn, as the vendor hears it: its words come after it ended. */
  | { type: 'turn'; state: 'started' | 'ended'; turn: string }
  /** What a turn sounds like so far. */
  | { type: 'partial'; turn: string; text: string }
  /** Null if the words could not be recognized. */
  | { type: 'final'; turn: string; text: string | null }
  | { type: 'audio'; reply: string; item: string; pcm: Uint8Array }
  /** The words of the audio, as they come. */
  | { type: 'text'; reply: string; text: string }
  | ({ type: 'call'; reply: string } & ToolCall)
  /** Nothing more comes of a reply, said to its end, stopped or failed. */
  | { type: 'replied'; reply: string; failure: string | null; usage: RealtimeUsage | null }
  /** What a reply used, from vendors that say so after it is over: it was `replied` with null. */
  | { type: 'used'; reply: string; usage: RealtimeUsage }

/** All tokens, and how many of them are sound. */
export interface RealtimeUsage {
  inputTokens: number
  outputTokens: number
  inputAudioTokens: number
  outputAudioTokens: number
}
