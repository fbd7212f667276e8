import type { Preparing } from '@switchroom/contract/apps'
import type { PreparedSet } from '@switchroom/contract/call-frames'

const undeclaredMs = 150
const declaredMs = 1500

/** How long a generation waits for the app. */
export const budgetOf = (preparing: Preparing | undefined): number => {
  if (preparing === undefined) return undeclaredMs
  return preparing === true ? declaredMs : preparing.timeoutMs
}

export type PreparationOutcome = { set: PreparedSet } | 'gone' | 'late'

/** Generations on this gateway that wait for an app's preparation. */
export class WaitingTurns {
  readonly #waiting = new Map<string, (settled: PreparationOutcome) => void>()

  /** Resolves when the app has answered, has disconnected, or is out of time. */
  wait(call: string, turn: number, budgetMs: number): Promise<PreparationOutcome> {
    const key = keyOf(call, turn)
    return new Promise((resolve) => {
      const settle = (settled: PreparationOutcome) => {
        clearTimeout(timer)
        if (this.#waiting.get(key) === settle) this.#waiting.delete(key)
        resolve(settled)
      }
      const timer = setTimeout(() => settle('late'), budgetMs)
      this.#waiting.set(key, settle)
    })
  }

  settle(call: string, turn: number, settled: PreparationOutcome) {
    this.#waiting.get(keyOf(call, turn))?.(settled)
  }
}

const keyOf = (call: string, turn: number) => `${call} ${turn}`
