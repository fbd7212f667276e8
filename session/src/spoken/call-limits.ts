import { knobTable } from '@switchroom/contract/knobs'
import type { Entry, NewEntry } from '@switchroom/contract/log'
import type { Config } from '@switchroom/contract/settings'

const minuteMs = 60_000
const longestMs = 2 ** 31 - 1

export interface CallLimitsParts {
  idleTimeoutMs: number | null
  /** Of the whole call, and how much of it is over already; null for ever. */
  longestMs: number | null
  keep: (entries: readonly NewEntry[]) => void
  end: (reason: 'idle_timeout' | 'max_duration') => void
}

/** Ends a call that is idle, and one that takes too long. */
export class CallLimits {
  readonly #parts: CallLimitsParts
  #idle: NodeJS.Timeout | undefined
  #longest: NodeJS.Timeout | undefined
  #held: NodeJS.Timeout | undefined
  #isHeld = false

  constructor(parts: CallLimitsParts) {
    this.#parts = parts
    this.limit(parts.longestMs)
  }

  /** How long the call may still last. */
  limit(ms: number | null) {
    clearTimeout(this.#longest)
    if (ms === null) return
    this.#longest = setTimeout(() => this.#timeOut('max_duration'), Math.min(longestMs, Math.max(0, ms)))
  }

  /** Silence on both sides from now on. */
  onSilence() {
    this.onActivity()
    const { idleTimeoutMs, keep } = this.#parts
    if (idleTimeoutMs === null || this.#isHeld) return
    const warningMs = Math.min(minuteMs, idleTimeoutMs / 2)
    const warn = () => {
      const remainingSeconds = Math.ceil(warningMs / 1_000)
      const data = { remainingSeconds, idleTimeoutSeconds: Math.round(idleTimeoutMs / 1_000) }
      keep([{ type: 'session.idleWarning', data }])
      this.#idle = setTimeout(() => this.#timeOut('idle_timeout'), warningMs)
    }
    this.#idle = setTimeout(warn, Math.min(longestMs, idleTimeoutMs - warningMs))
  }

  /** One side speaks. */
  onActivity() {
    clearTimeout(this.#idle)
  }

  /** The other end holds the call: nobody is idle, and it may last so long; null for ever. */
  hold(limitS: number | null) {
    this.onActivity()
    this.#isHeld = true
    if (limitS === null) return
    const end = () => this.#timeOut('idle_timeout', { held_s: limitS })
    this.#held = setTimeout(end, Math.min(longestMs, limitS * 1_000))
  }

  /** Off hold; whoever is silent now is so from now on. */
  resume() {
    this.#isHeld = false
    clearTimeout(this.#held)
  }

  close() {
    clearTimeout(this.#idle)
    clearTimeout(this.#held)
    clearTimeout(this.#longest)
  }

  #timeOut(reason: 'idle_timeout' | 'max_duration', more: { held_s?: number } = {}) {
    this.#parts.keep([{ type: 'session.timeout', data: { reason, ...more } }])
    this.#parts.end(reason)
  }
}

/** How long a call may still last, counted from when it was answered; null for ever. */
export function leftMs(
  { max_duration_s = knobTable.max_duration_s.default.value }: Config,
  entries: readonly Entry[],
): number | null {
  if (max_duration_s === 0) return null // no limit
  const begun = ['call.answered', 'call.started']
    .map((type) => entries.find((entry) => entry.type === type)?.ts)
    .find((ts) => ts !== undefined)
  const overMs = begun === undefined ? 0 : Math.max(0, Date.now() - begun * 1_000)
  return max_duration_s * 1_000 - overMs
}
