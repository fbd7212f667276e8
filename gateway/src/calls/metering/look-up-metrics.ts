import { lookUpModes } from '@switchroom/contract/knowledge-names'
import type { NewEntry } from '@switchroom/contract/log'
import type { Environment } from '@switchroom/contract/scopes'
import type { GatewayMeters } from '../../database/room.ts'
import { within } from './line-metrics.ts'

const longestMs = 60_000

/** What became of a look-up in a call, and how long a turn waited for it. */
export function observeLookUp(meters: GatewayMeters, env: Environment, data: NewEntry['data']) {
  const mode = lookUpModes.find((known) => known === data['mode'])
  if (!mode || data['query'] === '') return // says how a base is used
  meters.count('switchroom_knowledge_lookups_total', [env, mode, outcomeOf(data)])
  if (mode !== 'auto') return
  for (const [part, ms] of [['all', data['ms']] as const, ['waited', data['waited_ms']] as const])
    within(ms, 0, longestMs, (taken) =>
      meters.observe('switchroom_knowledge_lookup_seconds', taken / 1000, [env, part]),
    )
}

function outcomeOf({ late, error, passages }: NewEntry['data']) {
  if (late === true) return 'late'
  if (typeof error === 'string') return 'failed'
  return Array.isArray(passages) && passages.length > 0 ? 'found' : 'nothing'
}
