import type { Infrastructure } from '../database/room.ts'
import type { HttpRoom } from '../http/room.ts'
import type { MailRoom } from '../mail/room.ts'
import { BegunSignIns } from './sso/begun-sign-ins.ts'
import { Domains } from './sso/domains.ts'
import { IdentityProviders } from './sso/providers.ts'
import { Invitations } from './invitations/invitations.ts'
import { Keys } from './keys/keys.ts'
import { Links } from './invitations/links.ts'
import { LoginCodes } from './login-codes/login-codes.ts'
import { Members } from './members/members.ts'
import { Mint } from './keys/mint.ts'
import { RevokedKeys } from './keys/revoked-keys.ts'
import { Orgs } from './orgs/orgs.ts'
import { Pairings } from './pairings/pairings.ts'
import { Passwords } from './passwords/passwords.ts'
import { Proofs } from './proofs/proofs.ts'
import { ProviderSignIns } from './sso/sign-in.ts'
import { Resets } from './resets/resets.ts'
import { Provisioning } from './sso/provisioning.ts'
import { Seats } from './seats/seats.ts'
import { SignIns } from './sign-in/sign-in.ts'
import { SignUps } from './sign-up/sign-up.ts'
import { PlaceTries } from './tries/tries.ts'
import { OwnOrgs } from './own-orgs/own-orgs.ts'

export type PeopleRoom = ReturnType<typeof makePeople>

/** Orgs, members, keys and every kind of sign-in. */
export function makePeople(
  parts: Infrastructure & HttpRoom & MailRoom,
  held: ConstructorParameters<typeof Orgs>[2],
  atBirth: ConstructorParameters<typeof Orgs>[3],
) {
  const { settings, clock, logger, vault, publicAddresses, database, rateCounts, mailboxes, letters } = parts

  const passwords = new Passwords(settings.minPassword, settings.limits.passwordQueue)
  const placeTries = new PlaceTries(rateCounts, settings.limits.signInTriesPerAddress)
  const mint = new Mint(clock)
  const keys = new Keys(database, clock)
  const revokedKeys = new RevokedKeys(parts.slowDatabase, clock, parts.lives)
  const orgs = new Orgs(database, clock, held, atBirth)
  const links = new Links(clock, mailboxes, letters, settings.baseUrl)
  const proofs = new Proofs(keys)
  const invitations = new Invitations({ database, clock, mint, passwords, keys, proofs })
  const members = new Members({ database, clock, orgs, keys, links, proofs })
  const loginCodes = new LoginCodes(database, clock, mint)
  const seats = new Seats(database)
  const signIns = new SignIns({ database, rateCounts, passwords, seats, mint, loginCodes })
  const resets = new Resets({
    database,
    rateCounts,
    mailboxes,
    links,
    onFailure: (error) => logger.error({ err: error }, 'a password reset email could not be sent'),
  })
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
    proofs,
  })
  const ownOrgs = new OwnOrgs(database, orgs, seats, mint)
  const pairings = new Pairings({ database, clock, ownOrgs, mint, keys })
  const domains = new Domains(database, rateCounts, publicAddresses, members)
  const identityProviders = new IdentityProviders({
    database,
    vault,
    addresses: publicAddresses,
    members,
    domains,
    baseUrl: settings.baseUrl,
  })
  const provisioning = new Provisioning({ database, clock, orgs, identityProviders, loginCodes, proofs })
  const begunSignIns = new BegunSignIns(database, clock, vault)
  const providerSignIns = new ProviderSignIns({
    begunSignIns,
    identityProviders,
    pairings,
    provisioning,
    publicAddresses,
    logger,
  })

  return {
    passwords,
    mint,
    keys,
    revokedKeys,
    orgs,
    links,
    invitations,
    members,
    loginCodes,
    seats,
    placeTries,
    signIns,
    resets,
    signUps,
    ownOrgs,
    pairings,
    domains,
    identityProviders,
    begunSignIns,
    providerSignIns,
  }
}
