const dayMs = 24 * 3600 * 1000

/** Whether calls use the vendors that run on this machine, whose models take memory while they are kept loaded. */
export class MachineUse {
  readonly #nowMs: () => number
  /** When a call last did; infinite before the first call. */
  #usedMs = Infinity

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /** A call begins, with or without one of them. */
  note(onMachine: boolean): void {
    if (onMachine) this.#usedMs = this.#nowMs()
    else if (this.#usedMs === Infinity) this.#usedMs = -Infinity
  }

  /** No call has come yet, or one used them within a day. */
  get isLikely(): boolean {
    return this.#nowMs() - this.#usedMs < dayMs
  }
}
