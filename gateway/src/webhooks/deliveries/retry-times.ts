import { dayMs, hourMs, later, minuteMs, secondMs } from '../../foundation/clock.ts'

/** From the event on; then it is given up. */
export const retriedForMs = 3 * dayMs

const waitsMs = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
  8 * hourMs,
  12 * hourMs,
]

/**
 * When a delivery is attempted again after so many attempts failed; undefined if it is given up. The last attempt is at
 * the end of the three days. Up to a fifth is added, so that what failed together does not come back together.
 */
export function retryAt(
  attempts: number,
  createdAt: Date,
  now: Date,
  random = Math.random(),
): Date | undefined {
  const end = later(createdAt, retriedForMs)
  if (now >= end) return undefined
  const waitMs = waitsMs[Math.min(attempts, waitsMs.length) - 1] ?? 0
  const next = later(now, waitMs * (1 + random / 5))
  return next < end ? next : end
}
