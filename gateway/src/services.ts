import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Logger } from 'pino'
import { Database } from './database/database.ts'
import type { Clock } from './foundation/clock.ts'
import { Vault } from './foundation/sealing.ts'
import type { Settings } from './foundation/settings.ts'
import { Authentication } from './http/authentication.ts'
import { RateCounts } from './http/rate-counts.ts'
import { Invitations } from './people/invitations/invitations.ts'
import { Keys } from './people/keys/keys.ts'
import { Members, seatsHeld } from './people/members/members.ts'
import { Orgs } from './people/orgs/orgs.ts'
import { Passwords } from './people/passwords/passwords.ts'
import { DiscoveryDocument } from './platform/discovery/discovery.ts'
import { OrgAdministration } from './platform/orgs/orgs.ts'

export type Services = ReturnType<typeof makeServices>

/** Everything the gateway is made of, room by room. */
export function makeServices(settings: Settings, clock: Clock, logger: Logger) {
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })

  const vault = new Vault(settings.vaultKey)
  const database = new Database(settings.databaseUrl, (error) =>
    logger.warn({ err: error }, 'lost a database connection'),
  )

  const authentication = new Authentication(database, clock, settings.operatorKey)
  const rateCounts = new RateCounts(database, clock)

  const passwords = new Passwords(settings.minPassword)
  const keys = new Keys(database, clock)
  const orgs = new Orgs(database, clock, { seats: seatsHeld(database) })
  const invitations = new Invitations(database, clock, keys, passwords, settings.baseUrl)
  const members = new Members(database, clock, orgs, keys, invitations)

  const discovery = new DiscoveryDocument(settings)
  const orgAdministration = new OrgAdministration(orgs, members, keys)

  return {
    settings,
    clock,
    logger,
    metrics,
    vault,
    database,
    authentication,
    rateCounts,
    passwords,
    keys,
    orgs,
    invitations,
    members,
    discovery,
    orgAdministration,
  }
}
