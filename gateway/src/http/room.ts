import type { Infrastructure } from '../database/room.ts'
import { Authentication } from './authentication.ts'
import { OpenConnections } from './open-connections.ts'
import { RateCounts } from './rate-counts.ts'
import { SlowRequests } from './slow-requests.ts'

export type HttpRoom = ReturnType<typeof makeHttp>

/** Who calls, what is open, how often. */
export function makeHttp(parts: Infrastructure) {
  const { settings, clock, database } = parts

  const authentication = new Authentication(database, clock, settings)
  const openConnections = new OpenConnections(authentication)
  parts.meters.gauge('switchroom_connections_open', () => openConnections.countOpen())
  const rateCounts = new RateCounts(database, clock)

  const slowRequests = new SlowRequests(settings.limits.slowRequestsPerOrg)

  return { authentication, openConnections, rateCounts, slowRequests }
}
