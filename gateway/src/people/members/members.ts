import { roles, scopesOfRole } from '@switchroom/contract/scopes'
import type { Invited, InviteAsOperator, Member, MemberList } from '@switchroom/contract/members'
import type { Database, Transaction } from '../../database/database.ts'
import type { Clock } from '../../foundation/clock.ts'
import { badRequest, conflict, notFound, tooMany } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import { addressOf, beforeAt, lineOf } from '../../foundation/text.ts'
import type { Invitations } from '../invitations/invitations.ts'
import type { Keys } from '../keys/keys.ts'
import type { OrgRow, Orgs } from '../orgs/orgs.ts'
import * as store from './members.store.ts'

const agentForm = /^[a-z0-9][a-z0-9_-]{0,62}$/

export const memberOf = (row: store.MemberRow): Member => ({ ...row, scopes: [...scopesOfRole[row.role]] })

/** Who belongs to an org, and the rules for letting somebody in and out. */
export class Members {
  readonly #database: Database
  readonly #clock: Clock
  readonly #orgs: Orgs
  readonly #keys: Keys
  readonly #invitations: Invitations

  constructor(database: Database, clock: Clock, orgs: Orgs, keys: Keys, invitations: Invitations) {
    this.#database = database
    this.#clock = clock
    this.#orgs = orgs
    this.#keys = keys
    this.#invitations = invitations
  }

  async list(org: string): Promise<MemberList> {
    return { members: (await store.listMembers(this.#database, org)).map(memberOf) }
  }

  /** The operator grants anything: any role, production, and the operator's flag itself. */
  async inviteAsOperator(org: string, invited: InviteAsOperator): Promise<Invited> {
    const email = addressOf(invited.email)
    const role = roles.find((known) => known === (invited.role ?? 'admin'))
    if (!role) throw badRequest(`role is one of ${roles.join(', ')}`)
    const member = {
      id: newId('mem', 6),
      org,
      email,
      role,
      name: invited.name === undefined ? beforeAt(email).slice(0, 100) : lineOf('name', invited.name),
      agents: agentList(invited.agents ?? []),
      operator: invited.operator ?? false,
      production: role === 'admin' || (invited.production ?? false),
    }
    return this.#database.transaction(async (tx) => {
      const locked = await this.#orgs.lock(tx, org) // held, so two invitations cannot both take the last seat
      if (await store.isMember(tx, org, email)) throw conflict(`${email} is already a member`)
      await refusePastSeats(tx, locked)
      await store.lockPerson(tx, email)
      const elsewhere = await store.isInAnotherOrg(tx, org, email)
      await store.insertInvited(tx, member, this.#clock.now())
      // The link sets this person's password in every org, so only their own mailbox may hold it then.
      const invitation = await this.#invitations.issue(tx, member.id, {
        handed: !elsewhere,
        provesAddress: true,
      })
      return { member: await this.#find(tx, org, member.id), mailed: false, ...invitation }
    })
  }

  async setOperator(org: string, id: string, operator: boolean): Promise<Member> {
    return this.#database.transaction(async (tx) => {
      await this.#orgs.lock(tx, org)
      const member = await this.#find(tx, org, id)
      if (operator && member.status !== 'active') throw conflict(`${member.name} is not active`)
      await store.setOperator(tx, org, id, operator)
      return { ...member, operator }
    })
  }

  /** Removes a member of any status: keys end, the seat is free, and unused links are dead. */
  async remove(org: string, id: string): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const locked = await this.#orgs.lock(tx, org)
      const member = await store.findMember(tx, org, id)
      if (!member) throw noSuchMember()
      const isActiveAdmin = member.role === 'admin' && member.status === 'active'
      if (isActiveAdmin && !(await store.hasOtherActiveAdmin(tx, org, id)))
        throw conflict(`${member.name} is the last active admin of ${locked.slug}`)
      await this.#keys.revokeOfMember(tx, id)
      await store.deleteMember(tx, member)
    })
  }

  async #find(tx: Transaction, org: string, id: string): Promise<Member> {
    const row = await store.findMember(tx, org, id)
    if (!row) throw noSuchMember()
    return memberOf(row)
  }
}

const noSuchMember = () => notFound('there is no such member')

/** How many seats an org holds: whoever is invited or active. */
export const seatsHeld = (database: Database) => (org: string) => store.countSeats(database, org)

async function refusePastSeats(tx: Transaction, { id, slug, quotas: { seats } }: OrgRow) {
  if (seats === null) return
  const held = await store.countSeats(tx, id)
  if (held >= seats) throw tooMany(`org ${slug} has used ${held} of its ${seats} seats: credits.exhausted`)
}

function agentList(agents: readonly string[]): string[] {
  const stranger = agents.find((agent) => !agentForm.test(agent))
  if (stranger !== undefined)
    throw badRequest(`agents holds ${JSON.stringify(stranger)}, which is not an agent's slug`)
  return [...new Set(agents)]
}
