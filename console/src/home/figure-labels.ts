import { withQuery } from '../api/query-filters.ts'
import { tookOf } from '../ui/quantities.ts'

const whole = new Intl.NumberFormat()
const fine = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })

export const countText = (count: number) => whole.format(Math.round(count))
export const creditsText = (credits: number) => fine.format(credits)
export const waitText = (ms: number) => tookOf(ms)

/** The list of the calls of a period. */
export const callsLink = (
  { from, to }: { from: number; to: number },
  agent: string,
  more: Record<string, string> = {},
) => withQuery('/calls', { agent, from: String(from), to: String(to), ...more })

/** Against the period before: "+12 %", "new", or nothing to compare. */
export function changeText(now: number | null, before: number | null): string {
  if (now === null || before === null) return ''
  if (before === 0) return now === 0 ? 'as before' : 'none before'
  const percent = Math.round((100 * (now - before)) / before)
  if (percent === 0) return 'as before'
  return `${percent > 0 ? '+' : '−'}${whole.format(Math.abs(percent))} %`
}
