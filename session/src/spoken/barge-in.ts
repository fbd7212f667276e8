import type { Turn as TurnKnobs } from '@switchroom/contract/settings'
import type { PausableSound } from './pausable-sound.ts'
import { turnDefaults } from './turn-detection.ts'
import type { VoiceActivity } from './voice-activity.ts'
import { VoiceSureness } from './voice-sureness.ts'

/** After so much of a voice the agent falls silent; it gives up what it was saying only when the settings say so. */
const pauseAfterMs = 190

export interface BargeInParts {
  sound: PausableSound
  turn: () => TurnKnobs
  /** Whether what is said now may be stopped by a caller who has spoken over it for so long. */
  yieldsTo: (overMs: number) => boolean
}

/** Pauses the agent for a caller who begins to speak, and resumes if they stop before they have interrupted it. */
export class BargeIn {
  readonly #parts: BargeInParts
  readonly #sureness = new VoiceSureness()

  constructor(parts: BargeInParts) {
    this.#parts = parts
  }

  notice(activity: VoiceActivity) {
    this.#sureness.notice(activity)
    if (activity.type === 'ended') this.#parts.sound.resume()
    else if (activity.type === 'window' && activity.isSpeaking) this.#hear(activity)
  }

  #hear({ spokenMs }: VoiceActivity) {
    const { sound, turn, yieldsTo } = this.#parts
    if (spokenMs < pauseAfterMs || !this.#sureness.isSure) return
    const { min_interruption_ms, min_interruption_words = turnDefaults.min_interruption_words } = turn()
    // who sets how long or how many words it takes is spoken over until then
    if (min_interruption_ms !== undefined || min_interruption_words > 0) return
    if (yieldsTo(pauseAfterMs)) sound.pause()
  }
}
