import type { NewEntry } from '@switchroom/contract/log'
import type { GatewayMeters } from '../../database/room.ts'

/** Of the log's `heard` and `sent`. */
const ways = ['heard', 'sent'] as const

/** How the line of a phone call was, each call counted once, at its end. */
export function observeLine(meters: GatewayMeters, data: NewEntry['data']) {
  if (data['whole'] !== true) return
  for (const way of ways) {
    const quality = data[way]
    if (typeof quality !== 'object' || quality === null) continue
    const figures = new Map(Object.entries(quality))
    within(figures.get('mos'), 1, 5, (mos) => meters.observe('svc_line_mos', mos, [way]))
    within(figures.get('loss_percent'), 0, 100, (percent) =>
      meters.observe('svc_line_loss_ratio', percent / 100, [way]),
    )
    within(figures.get('jitter_ms'), 0, 60_000, (ms) =>
      meters.observe('svc_line_jitter_seconds', ms / 1000, [way]),
    )
  }
  within(data['round_trip_ms'], 0, 60_000, (ms) => meters.observe('svc_line_round_trip_seconds', ms / 1000))
}

/** What a worker sent may be anything. */
export function within(value: unknown, from: number, to: number, observe: (value: number) => void) {
  if (typeof value === 'number' && value >= from && value <= to) observe(value)
}
