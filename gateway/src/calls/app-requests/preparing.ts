import type { Preparing } from '@switchroom/contract/apps'
import type { PreparedSet } from '@switchroom/contract/call-frames'

const undeclaredMs = 150
const declaredMs = 1500

/** How long a generation waits for the app. */
export const budgetOf = (preparing: Preparing | undefined): number => {
  if (preparing === undefined) return undeclaredMs
  return preparing === true ? declaredMs : preparing.timeoutMs
}

export type Settled = { set: PreparedSet } | 'gone' | 'late'

/** The generations of this gateway's calls that wait for an app to prepare them. */
export class WaitingTurns {
  readonly #waiting = new Map<string, (settled: Settled) => void>()

  /** Answers when the app has settled, is gone, or had its time. */
  wait(call: string, turn: number, budgetMs: number): Promise<Settled> {
    const key = keyOf(call, turn)
    return new Promise((resolve) => {
      const settle = (settled: Settled) => {
        clearTimeout(timer)
        if (this.#waiting.get(key) === settle) this.#waiting.delete(key)
        resolve(settled)
      }
      const timer = setTimeout(() => settle('late'), budgetMs)
      this.#waiting.set(key, settle)
    })
  }

  settle(call: string, turn: number, settled: Settled) {
    this.#waiting.get(keyOf(call, turn))?.(settled)
  }
}

const keyOf = (call: string, turn: number) => `${call} ${turn}`
