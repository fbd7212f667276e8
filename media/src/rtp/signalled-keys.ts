/** Presses keys by signalling (INFO), one after the other, until the far end refuses one. */
export class SignalledKeys {
  readonly #press: (key: string) => Promise<void>
  #isRefused = false
  #last: Promise<unknown> = Promise.resolve()

  constructor(press: (key: string) => Promise<void>) {
    this.#press = press
  }

  /** Resolves with those that were not taken. */
  send(keys: readonly string[]): Promise<string[]> {
    const sent = this.#last.then(() => this.#sendNow(keys))
    this.#last = sent
    return sent
  }

  async #sendNow(keys: readonly string[]): Promise<string[]> {
    for (const [at, key] of keys.entries()) {
      if (this.#isRefused) return keys.slice(at)
      await this.#press(key).catch(() => {
        this.#isRefused = true
      })
      if (this.#isRefused) return keys.slice(at)
    }
    return []
  }
}
