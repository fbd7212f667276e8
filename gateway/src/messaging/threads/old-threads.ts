import type { DeletedCall } from '../../calls/erasure/old-calls.ts'
import type { Transaction } from '../../database/database.ts'
import * as store from './old-threads.store.ts'

/** Deletes threads and conversations of which these were the last calls, unless something in them is younger. */
export async function forgetThreads(tx: Transaction, calls: readonly DeletedCall[], before: Date) {
  const ofContacts = calls.flatMap(({ contact, ...call }) => (contact === null ? [] : [{ ...call, contact }]))
  if (ofContacts.length === 0) return
  const threads = {
    orgs: ofContacts.map(({ org }) => org),
    envs: ofContacts.map(({ env }) => env),
    agents: ofContacts.map(({ agent }) => agent),
    contacts: ofContacts.map(({ contact }) => contact),
    numbers: ofContacts.map(({ number }) => number),
  }
  await store.deleteThreads(tx, threads, before)
  await store.deleteMarks(tx, threads, before)
  await store.deleteConversations(tx, threads, before)
}
