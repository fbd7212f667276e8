import { sipStatuses } from '@switchroom/contract/metrics/telephony-metrics'
import type { MetricNames } from '@switchroom/contract/metrics/table'
import type { Meters } from '@switchroom/process/meters'
import type { SipOptions } from '@switchroom/media/sip/server'
import type { RunningCalls } from './processes/running-calls.ts'

export type WorkerMeters = Meters<MetricNames>

export interface ObservedWorker {
  calls: RunningCalls
  capacity: number
  isDraining: () => boolean
}

/** How full the worker is, read whenever its metrics are. */
export function observeWorker(meters: WorkerMeters, { calls, capacity, isDraining }: ObservedWorker) {
  meters.gauge('switchroom_calls_live', () => calls.countLive())
  meters.gauge('switchroom_worker_places', () => [[capacity]])
  meters.gauge('switchroom_worker_calls', () => [[calls.count]])
  meters.gauge('switchroom_worker_draining', () => [[isDraining() ? 1 : 0]])
  meters.gauge('switchroom_call_processes', () => [[calls.processes.count]])
  meters.gauge('switchroom_call_process_delay_seconds', () => [[calls.processes.longestDelayMs / 1000]])
}

/** What the SIP server tells, counted. */
export const sipMetrics = (meters: WorkerMeters): Pick<SipOptions, 'onFinal' | 'onDropped'> => ({
  onFinal: (direction, method, status) =>
    meters.count('switchroom_sip_responses_total', [direction, method, statusLabel(status)]),
  onDropped: (why) => meters.count('switchroom_sip_ignored_total', [why]),
})

const usualStatuses: ReadonlySet<number> = new Set(sipStatuses)

/** A peer may answer with any number: those that mean something stay, the others are counted by their class. */
function statusLabel(status: number | null): string {
  if (status === null) return 'none'
  return usualStatuses.has(status) ? String(status) : `${Math.floor(status / 100)}xx`
}
