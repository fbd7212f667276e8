import type { VoiceActivity } from './voice-activity.ts'

/** Coughs and barks are less like a voice than this from their first sound on. */
const sureness = 0.85
/** A dog that barks is silent in between: over so many windows, a third of a second, it is less like a voice than this. */
const lastWindows = 10
const lasting = 0.7

/** How surely the stretch of sound that is heard now is a voice: by how likely it was in each of its windows. */
export class VoiceSureness {
  #sum = 0
  #windows = 0
  readonly #last: number[] = []

  notice({ type, isSpeaking, probability }: VoiceActivity) {
    if (type === 'started') this.#sum = this.#windows = this.#last.length = 0
    if (type !== 'window' || !isSpeaking) return
    this.#sum += probability
    this.#windows += 1
    this.#last.push(probability)
    if (this.#last.length > lastWindows) this.#last.shift()
  }

  /** From its beginning on. */
  get isSure(): boolean {
    return this.#windows > 0 && this.#sum / this.#windows >= sureness
  }

  /** Lately, without the pauses of something that barks or bangs. */
  get isLasting(): boolean {
    const sum = this.#last.reduce((all, one) => all + one, 0)
    return this.#last.length > 0 && sum / this.#last.length >= lasting
  }
}
