import type { Member } from '@switchroom/contract/members'
import { brokenConstraint, statement, type Queryable, type Transaction } from '../../database/database.ts'
import type { SignInReach } from '../../foundation/granting.ts'
import { conflict } from '../../foundation/refusals.ts'

/** A member row; its scopes follow from its role. */
export interface MemberRow extends Omit<Member, 'scopes'> {
  org: string
}

export type NewMember = Omit<MemberRow, 'status' | 'verified'>

const columns = `m.id, m.org, m.email, m.name, m.role, m.agents, m.status, m.operator, m.production, p.verified`
const from = `members m join persons p on p.email = m.email`

const ofOrg = statement<MemberRow>(`select ${columns} from ${from} where m.org = $1 order by m.ordinal`)

export const listMembers = (database: Queryable, org: string) => database.rows(ofOrg, org)

const reaches = statement<SignInReach>(`
  select m.email, m.status, m.role, m.agents, m.production,
    exists (select from members f where f.email = m.email and f.operator) as operator
  from members m where m.org = $1 order by m.ordinal`)

/** The rights of each member. */
export const listReaches = (database: Queryable, org: string) => database.rows(reaches, org)

const byId = statement<MemberRow>(`select ${columns} from ${from} where m.org = $1 and m.id = $2`)

export const findMember = (database: Queryable, org: string, id: string) => database.row(byId, org, id)

const lockRow = statement(`select from members where org = $1 and id = $2 for update`)

export const lockMember = (tx: Transaction, org: string, id: string) => tx.rows(lockRow, org, id)

// An update, because one that does nothing would wait for a row that is being deleted, and go on without it.
const keepPerson = statement(`
  insert into persons (email) values ($1) on conflict (email) do update set email = excluded.email`)
const lockPersonRow = statement(`select from persons where email = $1 for update`)

/** The person of an address, created if new, locked to the end of the transaction. */
export async function lockPerson(tx: Transaction, email: string) {
  await tx.rows(keepPerson, email)
  await tx.rows(lockPersonRow, email)
}

const update = statement(`
  update members set role = $3, agents = $4, status = $5, production = $6 where org = $1 and id = $2`)

export const updateMember = (
  tx: Transaction,
  org: string,
  { id, role, agents, status, production }: Member,
) => tx.rows(update, org, id, role, agents, status, production)

const signsIn = statement(`
  select from persons p
  where p.email = $2
    and (p.password_hash is not null or exists (select from identity_providers i where i.org = $1))`)

/** With a password, or with the provider of the org. */
export const canSignIn = async (tx: Transaction, org: string, email: string) =>
  (await tx.row(signsIn, org, email)) !== undefined

const elsewhere = statement(`select from members where email = $2 and org <> $1 limit 1`)

export const isInAnotherOrg = async (database: Queryable, org: string, email: string) =>
  (await database.row(elsewhere, org, email)) !== undefined

const flagged = statement(`select from members where email = $1 and operator limit 1`)

/** In any org, with any status. */
export const hasOperatorRow = async (tx: Transaction, email: string) =>
  (await tx.row(flagged, email)) !== undefined

const here = statement(`select from members where org = $1 and email = $2`)

export const isMember = async (database: Queryable, org: string, email: string) =>
  (await database.row(here, org, email)) !== undefined

const seats = statement<{ held: number }>(`
  select count(*) as held from members where org = $1 and status in ('invited', 'active')`)

export const countSeats = async (database: Queryable, org: string) =>
  (await database.row(seats, org))?.held ?? 0

const insert = statement(`
  insert into members (id, org, email, name, role, agents, status, operator, production, created_at)
  values ($1, $2, $3, $4, $5, $6, 'invited', $7, $8, $9)`)

export async function insertInvited(tx: Transaction, member: NewMember, at: Date) {
  const { id, org, email, name, role, agents, operator, production } = member
  try {
    await tx.rows(insert, id, org, email, name, role, agents, operator, production, at)
  } catch (error) {
    if (brokenConstraint(error) === 'members_once_per_org') throw conflict(`${email} is already a member`)
    throw error
  }
}

const setFlag = statement(`update members set operator = $3 where org = $1 and id = $2`)

export const setOperator = (tx: Transaction, org: string, id: string, operator: boolean) =>
  tx.rows(setFlag, org, id, operator)

const otherAdmins = statement(`
  select from members where org = $1 and id <> $2 and role = 'admin' and status = 'active' limit 1`)

export const hasOtherActiveAdmin = async (tx: Transaction, org: string, id: string) =>
  (await tx.row(otherAdmins, org, id)) !== undefined

const remove = statement(`delete from members where org = $1 and id = $2`)
const forgetPerson = statement(`
  delete from persons p where email = $1 and not exists (select from members m where m.email = p.email)`)

/** With the last row of an address its password and its proof are deleted. */
export async function deleteMember(tx: Transaction, org: string, member: Member) {
  await tx.rows(remove, org, member.id)
  await tx.rows(forgetPerson, member.email)
}
