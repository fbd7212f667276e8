import { knobTable } from '@switchroom/contract/knobs'
import type { Turn as TurnKnobs } from '@switchroom/contract/settings'

const usualMs = knobTable.turn.shape.members.endpointing_ms.default.value

/** The party's turns by their voice alone, for models that do not detect turns themselves. */
export class Endpointing {
  readonly #tell: (state: 'started' | 'ended') => void
  #isSpeaking = false
  #quiet: NodeJS.Timeout | undefined

  constructor(tell: (state: 'started' | 'ended') => void) {
    this.#tell = tell
  }

  /** Until the voice was quiet for long enough. */
  get isSpeaking(): boolean {
    return this.#isSpeaking
  }

  started() {
    clearTimeout(this.#quiet)
    if (this.#isSpeaking) return
    this.#isSpeaking = true
    this.#tell('started')
  }

  ended(silenceMs: number, { endpointing_ms = usualMs }: TurnKnobs) {
    clearTimeout(this.#quiet)
    if (this.#isSpeaking) this.#quiet = setTimeout(() => this.#end(), Math.max(0, endpointing_ms - silenceMs))
  }

  close() {
    clearTimeout(this.#quiet)
  }

  #end() {
    this.#isSpeaking = false
    this.#tell('ended')
  }
}
