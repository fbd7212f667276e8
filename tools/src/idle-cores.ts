import { cpus } from 'node:os'

/** How much of the cores nobody uses. */
export class IdleCores {
  #last = timesNow()

  /** The share of their time that went by unused since the last look, 0 to 1. */
  share(): number {
    const before = this.#last
    this.#last = timesNow()
    const whole = this.#last.whole - before.whole
    return whole === 0 ? 0 : (this.#last.idle - before.idle) / whole
  }
}

function timesNow() {
  const times = cpus().map((core) => core.times)
  const sum = (of: (one: (typeof times)[number]) => number) => times.reduce((all, one) => all + of(one), 0)
  return { idle: sum(({ idle }) => idle), whole: sum((one) => Object.values(one).reduce((a, b) => a + b, 0)) }
}
