const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

export interface TimeProps {
  /** Epoch seconds; endpoints of document 1 use RFC 3339 (`at`) instead. */
  epochS?: number
  at?: string
  /** Only the time of day. */
  isClock?: boolean
}

export function Time({ epochS, at, isClock = false }: TimeProps) {
  const instant = at === undefined ? new Date((epochS ?? 0) * 1000) : new Date(at)
  return <time dateTime={instant.toISOString()}>{(isClock ? clock : day).format(instant)}</time>
}
