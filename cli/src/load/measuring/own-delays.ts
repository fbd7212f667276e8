import { percentilesOf } from './percentiles.ts'
import type { Step } from '../plan/steps.ts'

const everyMs = 20

export interface OwnHealth {
  /** How late the generator's event loop was. */
  p50_ms: number
  p99_ms: number
  max_ms: number
  /** Cores that the generator used. */
  cores: number
}

/** How late this process itself is: what it measures is worth nothing if it cannot keep up. */
export class OwnDelays implements Disposable {
  readonly #samples: { atMs: number; lateMs: number }[] = []
  readonly #cpu: { atMs: number; usedMs: number }[] = []
  readonly #timer: NodeJS.Timeout
  readonly #nowMs: () => number
  #expectedMs: number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
    this.#expectedMs = nowMs() + everyMs
    this.#timer = setInterval(() => this.#look(), everyMs)
    this.#look()
  }

  within({ fromMs, toMs }: Pick<Step, 'fromMs' | 'toMs'>): OwnHealth {
    const isWithin = ({ atMs }: { atMs: number }) => atMs >= fromMs && atMs < toMs
    const late = percentilesOf(this.#samples.filter(isWithin).map(({ lateMs }) => lateMs))
    const cpu = this.#cpu.filter(isWithin)
    const [first, last] = [cpu.at(0), cpu.at(-1)]
    const spanMs = (last?.atMs ?? 0) - (first?.atMs ?? 0)
    const cores = spanMs > 0 ? ((last?.usedMs ?? 0) - (first?.usedMs ?? 0)) / spanMs : 0
    return { p50_ms: late?.p50 ?? 0, p99_ms: late?.p99 ?? 0, max_ms: late?.max ?? 0, cores }
  }

  #look() {
    const atMs = this.#nowMs()
    const lateMs = Math.max(0, atMs - this.#expectedMs)
    // One long standstill is as many late moments as would have been looked at in it.
    for (let missedMs = lateMs; missedMs >= 0; missedMs -= everyMs)
      this.#samples.push({ atMs: atMs - (lateMs - missedMs), lateMs: missedMs })
    this.#expectedMs = atMs + everyMs
    const { user, system } = process.cpuUsage()
    this.#cpu.push({ atMs, usedMs: (user + system) / 1_000 })
  }

  [Symbol.dispose]() {
    clearInterval(this.#timer)
  }
}
