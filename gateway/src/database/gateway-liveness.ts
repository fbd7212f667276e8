import { minuteMs, secondMs } from '../foundation/clock.ts'

/** How often a gateway writes its heartbeat. */
export const heartbeatEveryMs = 2 * secondMs
/** A gateway without its lock and without a heartbeat for so long is dead: others take over its calls. */
export const goneAfterMs = 5 * secondMs
/** Of a gateway without its lock and without a heartbeat for so long apps and lines no longer count, if it is still listed. */
export const deadAfterMs = 30 * secondMs
/** The row of a dead gateway is deleted after so long, with what hangs on it. */
export const deletedAfterMs = 5 * minuteMs

/**
 * Which gateways are alive: the one that asks, those with a heartbeat after `since`, and those that have their lock: the
 * heartbeats of a busy gateway or of one with another clock may seem old.
 */
export interface LiveGateways {
  own: string
  since: Date
}

// The arguments below are SQL: a column with a gateway's id, and the parameters that hold a `LiveGateways`. The lock is
// looked for last, because that takes longest and is seldom needed.

export const joinLiveGateway = (gateway: string, own = '$1', since = '$2') =>
  `join gateways g on g.id = ${gateway} and (g.id = ${own} or g.seen_at > ${since} or gateway_has_lock(g.id))`

/** Registrations `r` of connected apps, with their sockets `s`. */
export const liveRegistrations = (own = '$1', since = '$2') =>
  `registrations r join app_sockets s on s.id = r.socket ${joinLiveGateway('s.gateway', own, since)}`

/** Whether a gateway other than the one that asks is alive. */
export const isOtherAlive = (gateway: string, since = '$2') =>
  `exists (select from gateways g where g.id = ${gateway} and (g.seen_at > ${since} or gateway_has_lock(g.id)))`
