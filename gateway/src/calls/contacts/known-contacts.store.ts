import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Transaction } from '../../database/database.ts'

export interface KnownContact {
  org: string
  env: Environment
  contact: string
}

const insert = statement(`
  insert into known_contacts (org, env, contact, first_at) values ($1, $2, $3, $4) on conflict do nothing`)

export const insertContact = (tx: Transaction, { org, env, contact }: KnownContact, now: Date) =>
  tx.rows(insert, org, env, contact, now)

const remove = statement<{ env: string }>(`
  delete from known_contacts where org = $1 and contact = $2 and env = any($3::text[]) returning env`)

export const deleteContact = (
  tx: Transaction,
  { org, envs }: { org: string; envs: readonly Environment[] },
  contact: string,
) => tx.rows(remove, org, contact, envs)
