import { knobTable } from '@switchroom/contract/knobs'
import type { NewEntry } from '@switchroom/contract/log'
import type { Config } from '@switchroom/contract/settings'
import type { CallLimits } from './call-limits.ts'

export interface HoldParts {
  limits: CallLimits
  config: () => Config
  write: (entries: readonly NewEntry[]) => void
  nowMs: () => number
}

/** Whether the other side holds the call, for which it has a limit of its own. */
export class Hold {
  readonly #parts: HoldParts
  #sinceMs: number | null = null

  constructor(parts: HoldParts) {
    this.#parts = parts
  }

  /** Whether that is news. */
  turn(isHeld: boolean): boolean {
    const { limits, config, write, nowMs } = this.#parts
    if (isHeld === (this.#sinceMs !== null)) return false
    if (isHeld) {
      const limitS = config().hold_limit_s ?? knobTable.hold_limit_s.default.value
      limits.hold(limitS === 0 ? null : limitS)
      write([{ type: 'call.on_hold', data: {} }])
    } else {
      const after_s = Math.round((nowMs() - (this.#sinceMs ?? 0)) / 1_000)
      limits.resume()
      write([{ type: 'call.off_hold', data: { after_s } }])
    }
    this.#sinceMs = isHeld ? nowMs() : null
    return true
  }
}
