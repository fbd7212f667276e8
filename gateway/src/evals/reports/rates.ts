import type { Rate } from '@switchroom/contract/evals'

/** Of the normal distribution, 95 in a hundred within. */
const z = 1.959964

/** Wilson's interval: it holds for few calls and for shares near 0 and 1, where others do not. */
export function rateOf(passed: number, of: number): Rate {
  if (of === 0) return { passed, of, rate: null, low: null, high: null }
  const share = passed / of
  const centre = (share + (z * z) / (2 * of)) / (1 + (z * z) / of)
  const half = (z / (1 + (z * z) / of)) * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of))
  return { passed, of, rate: share, low: Math.max(0, centre - half), high: Math.min(1, centre + half) }
}

/** Whether two shares differ by more than chance: Fisher's exact test, two-sided, 5 in a hundred. */
export function isSignificant(one: Pick<Rate, 'passed' | 'of'>, other: Pick<Rate, 'passed' | 'of'>): boolean {
  if (one.of === 0 || other.of === 0) return false
  return fisher(one.passed, one.of - one.passed, other.passed, other.of - other.passed) < 0.05
}

/** The probability of a table at least as uneven as this, with the same sums. */
export function fisher(a: number, b: number, c: number, d: number): number {
  const factorials = logFactorials(a + b + c + d)
  const f = (n: number) => factorials[n] ?? 0
  const logOf = (w: number, x: number, y: number, v: number) =>
    f(a + b) + f(c + d) + f(a + c) + f(b + d) - f(a + b + c + d) - f(w) - f(x) - f(y) - f(v)
  const own = logOf(a, b, c, d)
  let sum = 0
  for (let w = Math.max(0, a - d); w <= Math.min(a + b, a + c); w += 1) {
    const log = logOf(w, a + b - w, a + c - w, d - a + w)
    if (log <= own + 1e-9) sum += Math.exp(log)
  }
  return Math.min(1, sum)
}

function logFactorials(upTo: number): number[] {
  const logs = [0]
  for (let n = 1; n <= upTo; n += 1) logs.push((logs[n - 1] ?? 0) + Math.log(n))
  return logs
}

/** Nearest rank, of numbers in order. */
export const percentile = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null
