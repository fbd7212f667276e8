import type { SoundState } from '../leg.ts'

/** One question that is lost on a flooded line proves nothing, while sound may still come. */
const mostUnanswered = 3

/**
 * Whether the far end of a call is still there. One that is heard is, whatever it leaves unanswered; one that has been
 * silent for long is, while it answers.
 */
export class Liveness {
  #sound: SoundState | undefined
  #unanswered = 0
  #hasAnswered = false
  #signs = 0

  /** How often it has given a sign of life in the signalling. */
  get signs(): number {
    return this.#signs
  }

  get isLost(): boolean {
    if (this.#sound === 'silent') return this.#unanswered > 0
    if (this.#sound === 'heard') return false
    // on hold, one that never answers such a question says nothing by it
    if (this.#sound === 'held' && !this.#hasAnswered) return false
    return this.#unanswered >= mostUnanswered
  }

  /** It asked or answered something. */
  sign(): void {
    this.#signs += 1
    this.#unanswered = 0
  }

  answered(): void {
    this.#hasAnswered = true
    this.sign()
  }

  unanswered(): void {
    this.#unanswered += 1
  }

  sound(sound: SoundState): void {
    this.#sound = sound
  }
}
