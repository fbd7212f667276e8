const silentMs = 15_000
const slowMs = 60_000
const advice = "check the network and npm's proxy settings, or press Ctrl-C"

/** Says what npm waits for: its registry may keep it for minutes without a word. */
export class NpmRequests {
  #say
  #answers = 0
  #isTold = false
  #timers

  constructor(say) {
    this.#say = say
    this.#timers = [
      setTimeout(() => this.#tellOfSilence(), silentMs),
      setInterval(() => this.#tellOfAnswers(), slowMs),
    ]
  }

  /** Of npm's log: `npm http fetch GET 200 https://…`, or `npm http fetch GET https://… attempt 1 failed with ETIMEDOUT`. */
  read(line) {
    const failed = /(https?:\/\/[^/\s]+).* failed with (\w+)/.exec(line)
    if (!failed) this.#answers += 1
    else if (!this.#isTold) {
      this.#isTold = true
      this.#say(`npm cannot reach its registry ${failed[1]} (${failed[2]}) and tries again: ${advice}`)
    }
  }

  end() {
    for (const timer of this.#timers) clearInterval(timer)
  }

  #tellOfSilence() {
    if (this.#answers > 0 || this.#isTold) return
    const address = process.env.npm_config_registry ? ` ${process.env.npm_config_registry}` : ''
    this.#say(`npm waits for its registry${address}, which has not answered: ${advice}`)
  }

  #tellOfAnswers() {
    if (this.#answers > 0)
      this.#say(`npm still fetches packages: ${this.#answers} answers of its registry so far`)
  }
}
