import type { NewEntry } from '@switchroom/contract/log'
import type { TurnTimings } from './turn-detection.ts'
import type { Utterance } from './utterance.ts'

/** How long the caller waited for each step, from when they stopped speaking. */
export function timingsOf({ marks, messageId }: Utterance, owed: TurnTimings | null): NewEntry[] {
  if (owed === null) return []
  const since = (ms: number | null) => (ms === null ? null : Math.round(ms - owed.speechEndedMs))
  const data = {
    stage: 'turn',
    messageId,
    transcript_ms: since(owed.transcriptMs),
    turn_end_ms: since(owed.turnEndedMs),
    first_token_ms: since(marks.firstTextMs),
    first_audio_ms: since(marks.firstAudioMs),
    heard_ms: since(marks.heardMs),
  }
  return [{ type: 'metrics', data }]
}
