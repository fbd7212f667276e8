import type { DialCall } from '@switchroom/contract/placing'
import { secondMs } from '../../foundation/clock.ts'
import { badRequest, unprocessable } from '../../foundation/refusals.ts'

const shortestS = 60
const longestS = 86_400

/** A token for the call's log, that lives for as long as is said or else for a while after the call. */
export interface LogWish {
  lifetimeMs?: number
}

/** Undefined where nobody wants one. */
export function readLogWish(log: DialCall['log']): LogWish | undefined {
  if (log === undefined || log === false) return undefined
  if (log === true) return {}
  const { ttl_s: lifetimeS, ...rest } = log
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw unprocessable(`log.${unknown}: is nothing that log takes`)
  if (lifetimeS === undefined) return {}
  if (!Number.isInteger(lifetimeS)) throw unprocessable('log.ttl_s: must be a whole number')
  if (Number(lifetimeS) < shortestS || Number(lifetimeS) > longestS)
    throw badRequest(`log.ttl_s is ${shortestS} to ${longestS} seconds`)
  return { lifetimeMs: Number(lifetimeS) * secondMs }
}
