const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

export interface TimeProps {
  /** Seconds since 1970; document 1's endpoints say RFC 3339 instead. */
  epochS?: number
  at?: string
  /** Only the time of day. */
  isClock?: boolean
}

export function Time({ epochS, at, isClock = false }: TimeProps) {
  const instant = at === undefined ? new Date((epochS ?? 0) * 1000) : new Date(at)
  return <time dateTime={instant.toISOString()}>{(isClock ? clock : day).format(instant)}</time>
}
