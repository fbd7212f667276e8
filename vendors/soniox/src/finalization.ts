import type { Token } from './tokens.ts'

/** It takes a finalize every few seconds; more often it may disconnect. */
const restMs = 3_000

/**
 * When it is asked to commit what it heard. A wish that comes too soon after another is kept for later, and
 * dropped if the vendor commits by itself meanwhile or the caller continues: the next pause brings another.
 */
export class Finalization {
  readonly #send: () => void
  #resting: NodeJS.Timeout | undefined
  /** Up to where the audio was to be committed. */
  #wishedMs: number | null = null

  constructor(send: () => void) {
    this.#send = send
  }

  wish(heardMs: number) {
    if (this.#resting) this.#wishedMs = heardMs
    else this.#ask()
  }

  committed() {
    this.#wishedMs = null
  }

  heard(tokens: readonly Token[]) {
    const wishedMs = this.#wishedMs
    if (wishedMs !== null && tokens.some(({ start_ms: startMs = 0 }) => startMs >= wishedMs)) this.committed()
  }

  stop() {
    clearTimeout(this.#resting)
    this.committed()
  }

  #ask() {
    this.#wishedMs = null
    this.#send()
    this.#resting = setTimeout(() => {
      this.#resting = undefined
      if (this.#wishedMs !== null) this.#ask()
    }, restMs)
    this.#resting.unref()
  }
}
