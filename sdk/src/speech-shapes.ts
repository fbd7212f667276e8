/** What is said, and how; the names are those of the wire. */
export interface SpeechOptions {
  /** 1 to 5000 characters. */
  input: string
  /** `provider/alias`, or a provider's own id; `voices` lists both. */
  voice: string
  /** `provider/model` or `provider/auto`. */
  model?: string
  /** Two letters, such as `en`. */
  language?: string
  response_format?: 'pcm' | 'wav' | 'mp3'
  /** Default: 16000. */
  sample_rate?: 16_000 | 24_000
  /** 0.25 to 4. */
  speed?: number
  timestamps?: boolean
}

export type SpeechEvent =
  | { type: 'start'; request_id: string; format: string; sample_rate: number }
  | { type: 'audio'; data: Uint8Array }
  /** In seconds from the start of the sound. */
  | { type: 'word'; word: string; start: number; end: number }
  | { type: 'done'; characters: number; audio_ms: number }

export interface SpeechVoice {
  id: string
  name: string
  alias?: string
  provider: string
  gender?: string
  style?: string
  languages: { code: string; name: string; flag?: string; nativeName?: string; region?: string }[]
  description?: string
  previewUrl?: string
}

export interface TranscribeOptions {
  /** The recording itself, as it is in its file. */
  file: Uint8Array | Blob
  /** `provider/model` or `provider`. */
  model?: string
  language?: string
  diarize?: boolean
  response_format?: 'json' | 'verbose_json' | 'text'
}

export interface Transcript {
  text: string
  language: string | null
  /** Seconds. */
  duration: number
}

export interface HeardWord {
  word: string
  start: number
  end: number
  speaker?: number
}

export interface VerboseTranscript extends Transcript {
  model: string
  words: HeardWord[]
  segments: { id: number; start: number; end: number; text: string; speaker?: number }[]
}

export interface StreamOptions {
  model?: string
  language?: string
  sample_rate?: 8_000 | 16_000 | 24_000 | 48_000
  encoding?: 'linear16' | 'mulaw'
  diarize?: boolean
}

export interface StreamReady {
  type: 'ready'
  request_id: string
  model: string
  sample_rate: number
  encoding: string
  diarize: boolean
}

export interface StreamDone {
  type: 'done'
  request_id: string
  audio_seconds: number
  billed_minutes: number
}

export type StreamFrame =
  | { type: 'partial'; text: string }
  | {
      type: 'final'
      text: string
      start?: number
      end?: number
      language?: string
      speaker?: number
      words?: HeardWord[]
    }
  | StreamDone

/** Without undefined values, for queries and forms. */
export const saidOf = (options: object): [name: string, value: string][] =>
  Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
