import type { Meters, Reading } from '@switchroom/process/meters'
import type { MetricNames } from '@switchroom/contract/metrics/table'
import type { DatabasePools } from './pools.ts'

const names = ['requests', 'writing', 'slow'] as const

/** How busy the pools of connections are when the metrics are read. */
export function observePools(meters: Meters<MetricNames>, pools: DatabasePools) {
  meters.gauge('switchroom_database_connections', () =>
    names.flatMap((name): Reading[] => {
      const { totalCount, idleCount, options } = pools[name].pool
      return [
        [totalCount - idleCount, name, 'busy'],
        [idleCount, name, 'idle'],
        [options.max, name, 'most'],
      ]
    }),
  )
  meters.gauge('switchroom_database_waiting', () =>
    names.map((name): Reading => [pools[name].pool.waitingCount, name]),
  )
}
