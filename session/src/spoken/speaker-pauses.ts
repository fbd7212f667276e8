/** So many of a caller's last turns show how they speak. */
const recentTurns = 4
/** They may pause a little longer than they did. */
const slack = 1.2
/** A longer silence is no pause. */
const longestMs = 2_000

/** How long this caller pauses within what they say. */
export class SpeakerPauses {
  #pauses: { turn: number; ms: number }[] = []
  #turn = 0

  /** They paused for so long and then continued what they were saying. */
  paused(ms: number) {
    if (ms <= longestMs) this.#pauses.push({ turn: this.#turn, ms })
  }

  turnEnded() {
    this.#turn += 1
    this.#pauses = this.#pauses.filter(({ turn }) => turn >= this.#turn - recentTurns)
  }

  /** How long to wait for them; 0 if they have not paused lately. */
  get patienceMs(): number {
    return Math.max(0, ...this.#pauses.map(({ ms }) => ms)) * slack
  }
}
