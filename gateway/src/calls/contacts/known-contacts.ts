import type { Environment } from '@switchroom/contract/scopes'
import type { Transaction } from '../../database/database.ts'
import * as store from './known-contacts.store.ts'

/** Records that the contact called or wrote: from now on the org knows them in this environment. */
export async function knowContact(tx: Transaction, contact: store.KnownContact, now: Date) {
  await store.insertContact(tx, contact, now)
}

/** Answers in how many of these environments the contact was known. */
export async function forgetContact(
  tx: Transaction,
  where: { org: string; envs: readonly Environment[] },
  contact: string,
): Promise<number> {
  return (await store.deleteContact(tx, where, contact)).length
}
