import { roles, scopesOfRole, type Role } from '@switchroom/contract/scopes'
import type {
  ChangeMember,
  Invited,
  InviteAsOperator,
  InviteMember,
  Member,
  MemberList,
} from '@switchroom/contract/members'
import { changedFields, recordAudit } from '../../audit/recording.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { Actor, Caller, Operator } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { badRequest, conflict, notFound, tooMany } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import { addressOf, nameFrom, nameOf } from '../../foundation/text.ts'
import type { Links, MailOptions, WantedLink } from '../invitations/links.ts'
import type { Keys } from '../keys/keys.ts'
import type { OrgRow, Orgs } from '../orgs/orgs.ts'
import type { Proofs } from '../proofs/proofs.ts'
import { changedMember } from './changes.ts'
import {
  refuseAgentsBeyond,
  refuseGrantBeyond,
  refuseHoldingMore,
  refuseOperatorBeyond,
  refuseProductionBeyond,
  refuseUnlessHoldsAll,
} from '../../foundation/granting.ts'
import * as store from './members.store.ts'

const agentForm = /^[a-z0-9][a-z0-9_-]{0,62}$/

export const memberOf = (row: store.MemberRow): Member => ({ ...row, scopes: [...scopesOfRole[row.role]] })

/** The members of an org: invitations, changes and removals. */
export class Members {
  readonly #database: Database
  readonly #clock: Clock
  readonly #orgs: Orgs
  readonly #keys: Keys
  readonly #links: Links
  readonly #proofs: Proofs

  constructor(parts: {
    database: Database
    clock: Clock
    orgs: Orgs
    keys: Keys
    links: Links
    proofs: Proofs
  }) {
    this.#database = parts.database
    this.#clock = parts.clock
    this.#orgs = parts.orgs
    this.#keys = parts.keys
    this.#links = parts.links
    this.#proofs = parts.proofs
  }

  async list(org: string, database: Queryable = this.#database): Promise<MemberList> {
    return { members: (await store.listMembers(database, org)).map(memberOf) }
  }

  async invite(caller: Caller, invited: InviteMember): Promise<Invited> {
    const member = this.#newMember(caller.org, invited)
    refuseGrantBeyond(caller, member.role)
    if (invited.production) refuseProductionBeyond(caller)
    refuseAgentsBeyond(caller, member.agents)
    return this.#invite(caller, member, 'member')
  }

  /** The operator may grant any role, production access and the operator's flag. */
  async inviteAsOperator(by: Operator, org: string, invited: InviteAsOperator): Promise<Invited> {
    const member = this.#newMember(org, { ...invited, role: invited.role ?? 'admin' })
    const askedBy = by.name === null ? 'platform key' : 'operator'
    return this.#invite(by, { ...member, operator: invited.operator ?? false }, askedBy)
  }

  /** All named fields change or none: the rules judge the resulting row. */
  async change(caller: Caller, id: string, wanted: ChangeMember): Promise<Member> {
    return this.#database.transaction(async (tx) => {
      const org = await this.#orgs.lock(tx, caller.org)
      const member = await this.#lock(tx, caller.org, id)
      refuseOperatorBeyond(caller, member)
      const role = wanted.role === undefined ? member.role : roleOf(wanted.role)
      const agents = wanted.agents === undefined ? member.agents : agentList(wanted.agents)
      if (role !== member.role) refuseGrantBeyond(caller, role)
      if (wanted.production === true && !member.production) refuseProductionBeyond(caller)
      if (wanted.agents !== undefined) refuseAgentsBeyond(caller, agents)

      const changed = changedMember(member, { ...wanted, role, agents }, caller.subject)
      await this.#refuseLastAdminGone(tx, org, member, changed)
      if (changed.status === 'active' && member.status === 'disabled')
        await this.#refuseReturn(tx, org, changed)
      if (changed.status === 'disabled' && member.status === 'active') await this.#keys.revokeOfMember(tx, id)
      await store.updateMember(tx, caller.org, changed)
      await this.#recordChange(tx, caller, member, changed)
      return this.#find(tx, caller.org, id)
    })
  }

  async remove(caller: Caller, id: string): Promise<void> {
    await this.#remove(caller, caller.org, id, (member) => {
      refuseOperatorBeyond(caller, member)
      if (id === caller.subject) throw conflict('you cannot remove yourself')
    })
  }

  removeAsOperator(by: Actor, org: string, id: string): Promise<void> {
    return this.#remove(by, org, id, () => {})
  }

  /** A one-use link for an active member. It gives that member's rights, so a caller with fewer rights is refused. */
  async reset(caller: Caller, id: string): Promise<Invited> {
    const posting = await this.#posting(caller.org)
    return this.#database.transaction(async (tx) => {
      await this.#proofs.lock(tx, (await this.#find(tx, caller.org, id)).email)
      const member = await this.#find(tx, caller.org, id)
      refuseHoldingMore(caller, member)
      if (member.status !== 'active') throw conflict(`${member.name} is not active`)
      const isElsewhere = await store.isInAnotherOrg(tx, caller.org, member.email)
      const isOperator = await store.hasOperatorRow(tx, member.email)
      const link = { purpose: 'reset', isElsewhere, isOperator, askedBy: 'member' } as const
      await recordAudit(tx, caller, 'password.reset_asked', targetOf(member))
      return { member, ...(await this.#links.issue(tx, { org: caller.org, ...member }, link, posting)) }
    })
  }

  async setOperator(by: Actor, org: string, id: string, operator: boolean): Promise<Member> {
    return this.#database.transaction(async (tx) => {
      await this.#orgs.lock(tx, org)
      const member = await this.#lock(tx, org, id)
      if (operator && member.status !== 'active') throw conflict(`${member.name} is not active`)
      if (operator && !member.verified)
        throw conflict(
          `${member.email} is not proven: ask its owner to reset the password by mail, or remove and invite them again`,
        )
      await store.setOperator(tx, org, id, operator)
      const detail = changedFields(member, { operator })
      await recordAudit(tx, by, 'member.operator_changed', targetOf(member), { org, detail })
      return { ...member, operator }
    })
  }

  /** Checks that the caller may change how the org's members sign in; `why` begins the refusal. */
  async refuseUnlessHoldsAll(caller: Caller, why: string, database: Queryable = this.#database) {
    refuseUnlessHoldsAll(caller, await store.listReaches(database, caller.org), why)
  }

  /** The same under the org's lock, so that no member with more rights joins before the change is made. */
  async lockHoldingAll(tx: Transaction, caller: Caller, why: string): Promise<void> {
    await this.#orgs.lock(tx, caller.org)
    await this.refuseUnlessHoldsAll(caller, why, tx)
  }

  #newMember(org: string, invited: InviteMember): store.NewMember {
    const email = addressOf(invited.email)
    const role = roleOf(invited.role)
    const own = invited.name === undefined ? nameFrom(email) : nameOf(invited.name)
    const production = role === 'admin' || (invited.production ?? false)
    const agents = agentList(invited.agents ?? [])
    return { id: newId('mem', 6), org, email, role, name: own, agents, operator: false, production }
  }

  async #invite(by: Actor, member: store.NewMember, askedBy: WantedLink['askedBy']): Promise<Invited> {
    const { org, email } = member
    const posting = await this.#posting(org)
    return this.#database.transaction(async (tx) => {
      const locked = await this.#orgs.lock(tx, org) // locked, so two invitations cannot both take the last seat
      if (await store.isMember(tx, org, email)) throw conflict(`${email} is already a member`)
      await refusePastSeats(tx, locked)
      await store.lockPerson(tx, email)
      const isElsewhere = await store.isInAnotherOrg(tx, org, email)
      await store.insertInvited(tx, member, this.#clock.now())
      const isOperator = await store.hasOperatorRow(tx, email)
      const link = { purpose: 'invitation', isElsewhere, isOperator, askedBy } as const
      const issued = await this.#links.issue(tx, member, link, posting)
      const { role, agents, production, operator } = member
      const detail = { role, agents, production, operator, mailed: issued.mailed }
      await recordAudit(tx, by, 'member.invited', targetOf(member), { org, detail })
      return { member: await this.#find(tx, org, member.id), ...issued }
    })
  }

  async #posting(org: string): Promise<MailOptions> {
    const { name } = await this.#orgs.find(org)
    return this.#links.postingFor(org, name)
  }

  /** Removes a member of any status: revokes the keys, frees the seat and voids unused links. */
  async #remove(by: Actor, org: string, id: string, refuse: (member: Member) => void) {
    await this.#database.transaction(async (tx) => {
      const locked = await this.#orgs.lock(tx, org)
      const member = await this.#lock(tx, org, id)
      refuse(member)
      await this.#refuseLastAdminGone(tx, locked, member, undefined)
      await store.lockPerson(tx, member.email) // another org may invite them at this moment
      await this.#keys.revokeOfMember(tx, id)
      await store.deleteMember(tx, org, member)
      const { role, status } = member
      await recordAudit(tx, by, 'member.removed', targetOf(member), { org, detail: { role, status } })
    })
  }

  async #recordChange(tx: Transaction, caller: Caller, member: Member, changed: Member) {
    const { role, agents, production, status } = changed
    const detail = changedFields(member, { role, agents, production, status })
    if (Object.keys(detail).length === 0) return
    await recordAudit(tx, caller, 'member.changed', targetOf(member), { detail })
  }

  async #refuseLastAdminGone(tx: Transaction, org: OrgRow, member: Member, after: Member | undefined) {
    if (!isActiveAdmin(member) || (after && isActiveAdmin(after))) return
    if (!(await store.hasOtherActiveAdmin(tx, org.id, member.id)))
      throw conflict(`${member.name} is the last active admin of ${org.slug}`)
  }

  /** A disabled member who is enabled takes a seat again. */
  async #refuseReturn(tx: Transaction, org: OrgRow, member: Member) {
    if (!(await store.canSignIn(tx, org.id, member.email)))
      throw badRequest(`${member.name} has no password: remove and invite again`)
    await refusePastSeats(tx, org)
  }

  /** Locked before its keys, in the same order as a proof of the address. */
  async #lock(tx: Transaction, org: string, id: string): Promise<Member> {
    await store.lockMember(tx, org, id)
    return this.#find(tx, org, id)
  }

  async #find(tx: Transaction, org: string, id: string): Promise<Member> {
    const row = await store.findMember(tx, org, id)
    if (!row) throw notFound('there is no such member')
    return memberOf(row)
  }
}

const targetOf = ({ id, email }: Pick<Member, 'id' | 'email'>) =>
  ({ kind: 'member', id, label: email }) as const

const isActiveAdmin = ({ role, status }: Member) => role === 'admin' && status === 'active'

/** How many seats an org uses: invited and active members. */
export const seatsHeld = (database: Database) => (org: string) => store.countSeats(database, org)

export async function refusePastSeats(tx: Transaction, { id, slug, quotas: { seats } }: OrgRow) {
  if (seats === null) return
  const held = await store.countSeats(tx, id)
  if (held >= seats)
    throw tooMany(`org ${slug} has used ${held} of its ${seats} seats: credits.exhausted`).as(
      'QUOTA_EXCEEDED',
    )
}

function roleOf(wanted: string): Role {
  const role = roles.find((known) => known === wanted)
  if (!role) throw badRequest(`role is one of ${roles.join(', ')}`)
  return role
}

function agentList(agents: readonly string[]): string[] {
  const stranger = agents.find((agent) => !agentForm.test(agent))
  if (stranger !== undefined)
    throw badRequest(`agents holds ${JSON.stringify(stranger)}, which is not an agent's slug`)
  return [...new Set(agents)]
}
