const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000 }

/** As `200ms`, `1.5s`, `2m`; undefined for anything else. */
export function durationMs(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,9}(?:\.\d{1,6})?)(ms|s|m|min|h)$/.exec(text.trim()) ?? []
  const unitMs = unitsMs[unit]
  return count === undefined || unitMs === undefined ? undefined : Number(count) * unitMs
}

/** As `20`, `20/s`, `90/m`; undefined for anything else. */
export function ratePerS(text: string): number | undefined {
  const [, count, unit = 's'] = /^(\d{1,9}(?:\.\d{1,6})?)(?:\/(s|m|min|h))?$/.exec(text.trim()) ?? []
  const unitMs = unitsMs[unit]
  return count === undefined || unitMs === undefined ? undefined : (Number(count) * 1_000) / unitMs
}

/** As a person writes a duration. */
export function spelledMs(ms: number): string {
  if (!Number.isFinite(ms)) return 'none'
  if (ms < 10) return `${ms.toFixed(1)} ms`
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 120_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`
  return `${(ms / 60_000).toFixed(1)} min`
}

export const spelledRate = (perS: number): string => `${perS < 10 ? perS.toFixed(2) : perS.toFixed(1)}/s`
