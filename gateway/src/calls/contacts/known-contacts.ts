import type { Environment } from '@switchroom/contract/scopes'
import type { Transaction } from '../../database/database.ts'
import * as store from './known-contacts.store.ts'

/** They called or wrote, and are no stranger to the org in this environment from now on. */
export async function knowContact(tx: Transaction, contact: store.KnownContact, now: Date) {
  await store.insertContact(tx, contact, now)
}

/** Answers in how many of these environments they were known. */
export async function forgetContact(
  tx: Transaction,
  where: { org: string; envs: readonly Environment[] },
  contact: string,
): Promise<number> {
  return (await store.deleteContact(tx, where, contact)).length
}
