import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Logger } from 'pino'
import { Database } from './database/database.ts'
import type { Clock } from './foundation/clock.ts'
import { PublicAddresses } from './foundation/public-addresses.ts'
import { Vault } from './foundation/sealing.ts'
import type { Settings } from './foundation/settings.ts'
import { Authentication } from './http/authentication.ts'
import { RateCounts } from './http/rate-counts.ts'
import { environmentMailbox } from './mail/environment-mailbox.ts'
import { Letters } from './mail/letters.ts'
import { LetterTasks } from './mail/letters.tasks.ts'
import { Mailboxes } from './mail/mailboxes.ts'
import { Invitations } from './people/invitations/invitations.ts'
import { Links } from './people/invitations/links.ts'
import { Keys } from './people/keys/keys.ts'
import { Mint } from './people/keys/mint.ts'
import { LoginCodes } from './people/login-codes/login-codes.ts'
import { Members, seatsHeld } from './people/members/members.ts'
import { Orgs } from './people/orgs/orgs.ts'
import { Pairings } from './people/pairings/pairings.ts'
import { Passwords } from './people/passwords/passwords.ts'
import { Resets } from './people/resets/resets.ts'
import { Seats } from './people/seats/seats.ts'
import { SignIns } from './people/sign-in/sign-in.ts'
import { BegunSignIns } from './people/sso/begun-sign-ins.ts'
import { Domains } from './people/sso/domains.ts'
import { IdentityProviders } from './people/sso/providers.ts'
import { Seating } from './people/sso/seating.ts'
import { ProviderSignIns } from './people/sso/sign-in.ts'
import { SignUps } from './people/sign-up/sign-up.ts'
import { Switching } from './people/switching/switching.ts'
import { Brands } from './platform/brand/brand.ts'
import { DiscoveryDocument } from './platform/discovery/discovery.ts'
import { Housekeeping } from './platform/housekeeping/housekeeping.tasks.ts'
import { OrgAdministration } from './platform/orgs/orgs.ts'

export type Services = ReturnType<typeof makeServices>

/** Everything the gateway is made of, room by room. */
export function makeServices(settings: Settings, clock: Clock, logger: Logger) {
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })

  const vault = new Vault(settings.vaultKey)
  const publicAddresses = new PublicAddresses(settings)
  const database = new Database(settings.databaseUrl, (error) =>
    logger.warn({ err: error }, 'lost a database connection'),
  )

  const authentication = new Authentication(database, clock, settings)
  const rateCounts = new RateCounts(database, clock)

  const brands = new Brands(database)
  const mailboxes = new Mailboxes(database, clock, vault, publicAddresses, environmentMailbox(settings), () =>
    brands.read(),
  )
  const letters = new Letters(database, clock, vault, mailboxes, logger)
  const letterTasks = new LetterTasks(letters, logger)

  const passwords = new Passwords(settings.minPassword)
  const mint = new Mint(clock)
  const keys = new Keys(database, clock)
  const orgs = new Orgs(database, clock, { seats: seatsHeld(database) })
  const links = new Links(clock, mailboxes, letters, settings.baseUrl)
  const invitations = new Invitations(database, clock, mint, passwords)
  const members = new Members(database, clock, orgs, keys, links)
  const loginCodes = new LoginCodes(database, clock, mint)
  const seats = new Seats(database)
  const signIns = new SignIns(database, rateCounts, passwords, seats, mint, loginCodes)
  const resets = new Resets(database, rateCounts, mailboxes, links, (error) =>
    logger.error({ err: error }, 'a reset letter was not made'),
  )
  const signUps = new SignUps({
    database,
    clock,
    vault,
    rateCounts,
    letters,
    passwords,
    orgs,
    mint,
    loginCodes,
  })
  const switching = new Switching(database, orgs, seats, mint)
  const pairings = new Pairings(database, clock, switching, mint, keys)
  const domains = new Domains(database, rateCounts, publicAddresses)
  const identityProviders = new IdentityProviders(
    database,
    vault,
    publicAddresses,
    orgs,
    domains,
    settings.baseUrl,
  )
  const seating = new Seating(database, clock, orgs, identityProviders, loginCodes)
  const begunSignIns = new BegunSignIns(database, clock, vault)
  const providerSignIns = new ProviderSignIns(
    begunSignIns,
    identityProviders,
    pairings,
    seating,
    publicAddresses,
    logger,
  )

  const discovery = new DiscoveryDocument(
    settings,
    () => mailboxes.canPlatformSend(),
    () => brands.read(),
  )
  const orgAdministration = new OrgAdministration(orgs, members, keys)

  const housekeeping = new Housekeeping(
    [rateCounts, invitations, loginCodes, pairings, begunSignIns, signUps],
    logger,
  )

  return {
    settings,
    clock,
    logger,
    metrics,
    vault,
    database,
    authentication,
    rateCounts,
    mailboxes,
    letters,
    letterTasks,
    passwords,
    mint,
    keys,
    orgs,
    links,
    invitations,
    members,
    loginCodes,
    seats,
    signIns,
    resets,
    signUps,
    switching,
    pairings,
    domains,
    identityProviders,
    begunSignIns,
    providerSignIns,
    brands,
    housekeeping,
    discovery,
    orgAdministration,
  }
}
