export interface Percentiles {
  p50: number
  p90: number
  p95: number
  p99: number
  max: number
}

/** Null without a number. The nearest rank: a value that was measured, never one between two. */
export function percentilesOf(numbers: readonly number[]): Percentiles | null {
  if (numbers.length === 0) return null
  const sorted = Float64Array.from(numbers).toSorted()
  const at = (percent: number) => sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0
  return { p50: at(50), p90: at(90), p95: at(95), p99: at(99), max: at(100) }
}
