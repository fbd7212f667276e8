import type { Target } from './flow.ts'
import { header, type SipResponse } from './message.ts'

const longestMs = 10 * 60_000
const mostTargets = 1_000
/** How long an address that did not respond is tried last. */
const silentMs = 30_000

/** Addresses that asked to be left alone for a while, or did not respond: others are tried before them. */
export class AvoidedTargets {
  readonly #untilMs = new Map<string, number>()

  /** What became of asking one. */
  remember(target: Target, response: SipResponse | null): void {
    const restMs = response?.status === 503 ? readRetryAfter(header(response, 'retry-after')) : null
    if (restMs !== null) this.avoid(target, restMs)
    else if (!response) this.avoid(target, silentMs)
    else this.forgive(target)
  }

  avoid(target: Target, ms: number): void {
    const key = keyOf(target)
    this.#untilMs.delete(key)
    this.#untilMs.set(key, performance.now() + Math.min(ms, longestMs))
    // The one that was added longest ago is forgotten first.
    if (this.#untilMs.size > mostTargets) this.#untilMs.delete(this.#untilMs.keys().next().value ?? key)
  }

  forgive(target: Target): void {
    this.#untilMs.delete(keyOf(target))
  }

  inOrder(targets: readonly Target[]): Target[] {
    const nowMs = performance.now()
    const isAvoided = (target: Target) => (this.#untilMs.get(keyOf(target)) ?? 0) > nowMs
    return [...targets.filter((target) => !isAvoided(target)), ...targets.filter(isAvoided)]
  }
}

const keyOf = ({ transport, address, port }: Target) => `${transport} ${address} ${port}`

/** `Retry-After: 120 (in maintenance);duration=60` in milliseconds; null if there is none. */
export function readRetryAfter(value: string | undefined): number | null {
  const seconds = /^\s*(\d{1,10})\s*(?:[(;]|$)/.exec(value ?? '')?.[1]
  return seconds === undefined ? null : Number(seconds) * 1_000
}
