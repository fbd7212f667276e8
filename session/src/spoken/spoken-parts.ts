import type { NewEntry } from '@switchroom/contract/log'
import type { Config, EndOfTurn } from '@switchroom/contract/settings'
import type { Sound } from '@switchroom/contract/sound'
import type { Transcriber, RealtimeModel, Voice } from '@switchroom/kit/vendor'
import type { ModelRun, TurnParts } from '../parts.ts'

/** A vendor's transcribers that a call may be heard by. */
export interface TranscriberRun {
  vendor: string
  model: string
  key: ModelRun['key']
  transcriber: Transcriber
}

/** A vendor's voice that a call may be answered by. */
export interface VoiceRun {
  vendor: string
  model: string
  key: ModelRun['key']
  voice: Voice
}

/** A vendor's model that hears and speaks for itself. */
export interface RealtimeRun {
  vendor: string
  model: string
  key: ModelRun['key']
  realtime: RealtimeModel
}

/** Where a spoken call runs: everything that happens outside the conversation itself. */
export interface SpokenParts extends Omit<TurnParts, 'entries' | 'voice'> {
  callId: string
  /** The contact that memory is learned about once the call is over; null if unknown. */
  contact: string | null
  sound: Sound
  /** Of the settings, the knobs that shape speech: turn, max_duration_s and record. */
  config: Config
  endOfTurn: EndOfTurn
  /** In the order in which they are tried; at least one each, unless a realtime model is both. Built with the words that the lexicon says are heard. */
  transcribers: readonly TranscriberRun[]
  voices: readonly VoiceRun[]
  /** If there are any, they hear, think and speak, and transcribers and voices are none. */
  realtime: readonly RealtimeRun[]
  /** Entries that are seen live and never kept. */
  show: (entries: readonly NewEntry[]) => void
  /** Whether the app wants `audio.metrics`. */
  sendsAudioMetrics: boolean
  /** Idle timeout of the call; null for none. */
  idleTimeoutMs: number | null
  /** Takes what both said, 16 bit stereo (the caller left), while the settings say that the call is recorded. */
  record: ((samples: Int16Array, sampleRate: number) => void) | null
}
