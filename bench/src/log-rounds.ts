import type { Signals } from '@switchroom/gateway/database/signals'
import { makeLogger } from '@switchroom/process/logging'
import { callLog, type LogRef } from '@switchroom/gateway/calls/log/entries'

/** Other gateways are notified after the commit, not at all, or as part of the transaction. */
export const ways = ['without', 'after', 'inside'] as const
export type Way = (typeof ways)[number]

/** Asked of the writers: to write for so long. */
export interface WriteRound {
  way: Way
  roundMs: number
}

/** What they answer: how long each commit took. */
export interface WrittenRound {
  timesMs: number[]
}

export const refOf = (gateway: string, writer: number): LogRef =>
  callLog({ id: `call_${gateway}_${writer}`, org: 'org_bench', env: 'sandbox', agent: 'desk' })

export const silent: Signals = {
  on() {},
  send() {},
  async start() {},
  async stop() {},
  whyDegraded: undefined,
}
export const logger = makeLogger('error', process.stderr)
