import type { Step } from '../plan/steps.ts'

/** Something that failed, counted by its kind with the first sentence that was seen of it. */
export interface FailureKind {
  series: string
  kind: string
  sentence: string
  count: number
}

interface Measured {
  /** From the beginning of the run: when it was due, and when it was over. */
  dueMs: number
  doneMs: number
  isFailed: boolean
}

const mostKinds = 50
const longestSentence = 300

/** Collects what a run measures. Latency counts from when a request was due, so that a late start hides nothing. */
export class Measurements {
  readonly #bySeries = new Map<string, Measured[]>()
  readonly #failures = new Map<string, FailureKind>()
  #begunMs = performance.now()

  begin(): void {
    this.#begunMs = performance.now()
    this.#bySeries.clear()
    this.#failures.clear()
  }

  /** Since the beginning. */
  get nowMs(): number {
    return performance.now() - this.#begunMs
  }

  /** Both in milliseconds since the beginning. */
  done(series: string, dueMs: number, doneMs = this.nowMs): void {
    this.#of(series).push({ dueMs, doneMs, isFailed: false })
  }

  failed(series: string, dueMs: number, kind: string, sentence: string): void {
    this.#of(series).push({ dueMs, doneMs: this.nowMs, isFailed: true })
    const isNamed = this.#failures.has(`${series} ${kind}`) || this.#failures.size < mostKinds
    const named = isNamed ? kind : 'other'
    const known = this.#failures.get(`${series} ${named}`)
    const shown = sentence.slice(0, longestSentence)
    if (known) known.count += 1
    else this.#failures.set(`${series} ${named}`, { series, kind: named, sentence: shown, count: 1 })
  }

  get failures(): FailureKind[] {
    return [...this.#failures.values()].toSorted((one, other) => other.count - one.count)
  }

  /** What was due between these moments, and how much was done between them, whenever it was due. */
  between(series: string, { fromMs, toMs }: Pick<Step, 'fromMs' | 'toMs'>) {
    const due: number[] = []
    let [failed, finished] = [0, 0]
    for (const { dueMs, doneMs, isFailed } of this.#bySeries.get(series) ?? []) {
      if (!isFailed && doneMs >= fromMs && doneMs < toMs) finished += 1
      if (dueMs < fromMs || dueMs >= toMs) continue
      if (isFailed) failed += 1
      else due.push(doneMs - dueMs)
    }
    return { latenciesMs: due, failed, finished }
  }

  #of(series: string): Measured[] {
    const measured = this.#bySeries.get(series) ?? []
    this.#bySeries.set(series, measured)
    return measured
  }
}
