import type { Transaction } from '../../database/database.ts'
import * as store from './known-contacts.store.ts'

/** They called or wrote, and are no stranger to the org in this environment from now on. */
export async function knowContact(tx: Transaction, contact: store.KnownContact, now: Date) {
  await store.insertContact(tx, contact, now)
}

/** In both environments; answers in how many of them they were known. */
export async function forgetContact(tx: Transaction, org: string, contact: string): Promise<number> {
  return (await store.deleteContact(tx, org, contact)).length
}
