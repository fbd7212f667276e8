import type { MemberStatus } from '@switchroom/contract/members'
import type { Role } from '@switchroom/contract/scopes'
import { statement, type Transaction } from '../../database/database.ts'

const ofOrg = statement<{ id: string; status: MemberStatus }>(
  `select id, status from members where org = $1 and email = $2`,
)

export const findMember = (tx: Transaction, org: string, email: string) => tx.row(ofOrg, org, email)

export interface NewSeat {
  id: string
  org: string
  email: string
  name: string
  role: Role
}

const insert = statement(`
  insert into members (id, org, email, name, role, status, production, created_at)
  values ($1, $2, $3, $4, $5, 'active', $5 = 'admin', $6)`)

export const insertActive = (tx: Transaction, { id, org, email, name, role }: NewSeat, at: Date) =>
  tx.rows(insert, id, org, email, name, role, at)

const activate = statement(`update members set status = 'active' where id = $1`)
const spendLinks = statement(`delete from invitations where member = $1`)

/** Makes the seat active and voids its invitation links. */
export async function takeSeat(tx: Transaction, id: string) {
  await tx.rows(activate, id)
  await tx.rows(spendLinks, id)
}
