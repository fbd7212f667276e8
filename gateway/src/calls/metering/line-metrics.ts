import type { NewEntry } from '@switchroom/contract/log'
import { Histogram, type Registry } from 'prom-client'

/** Of the log's `heard` and `sent`. */
const ways = ['heard', 'sent'] as const

/** Takes the entries of a call's end. */
export type ObserveLine = (entries: readonly NewEntry[]) => void

/** How the lines of phone calls were, each call counted once, at its end; it names no org, agent or call. */
export function observeLines(metrics: Registry): ObserveLine {
  const histogram = (name: string, help: string, buckets: number[], labelNames: string[] = ['way']) =>
    new Histogram({ name, help, buckets, labelNames, registers: [metrics] })
  const mos = histogram(
    'svc_line_mos',
    'Estimated MOS of phone calls: heard is what comes from the caller, sent what they hear',
    [2, 2.6, 3.1, 3.6, 4, 4.2, 4.3, 4.4],
  )
  const loss = histogram(
    'svc_line_loss_ratio',
    'Share of packets of a phone call that were lost',
    [0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5],
  )
  const jitter = histogram(
    'svc_line_jitter_seconds',
    'Mean jitter of a phone call',
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2],
  )
  const roundTrip = histogram(
    'svc_line_round_trip_seconds',
    'Mean round trip of a phone call',
    [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2],
    [],
  )
  return (entries) => {
    for (const { type, data } of entries) {
      if (type !== 'metrics' || data['stage'] !== 'line' || data['whole'] !== true) continue
      for (const way of ways) {
        const quality = data[way]
        if (typeof quality !== 'object' || quality === null) continue
        const figures = new Map(Object.entries(quality))
        within(figures.get('mos'), 1, 5, (value) => mos.observe({ way }, value))
        within(figures.get('loss_percent'), 0, 100, (value) => loss.observe({ way }, value / 100))
        within(figures.get('jitter_ms'), 0, 60_000, (value) => jitter.observe({ way }, value / 1000))
      }
      within(data['round_trip_ms'], 0, 60_000, (value) => roundTrip.observe(value / 1000))
    }
  }
}

/** What a worker sent may be anything. */
function within(value: unknown, from: number, to: number, observe: (value: number) => void) {
  if (typeof value === 'number' && value >= from && value <= to) observe(value)
}
