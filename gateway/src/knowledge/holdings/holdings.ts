import type { Transaction } from '../../database/database.ts'
import { tooMany } from '../../foundation/refusals.ts'
import * as store from './holdings.store.ts'

type Held = store.Held

const nouns = {
  bases: 'bases',
  documents: 'documents',
  bytes: 'bytes of documents',
  chunks: 'chunks',
} as const

/**
 * Counts what an org holds of documents, in the transaction of the change, and refuses what is past its caps. Called
 * last of all, because requests of the org wait for each other here.
 */
export async function countHeld(tx: Transaction, org: string, added: Partial<Held>): Promise<void> {
  const more = { bases: 0, documents: 0, bytes: 0, chunks: 0, ...added }
  await store.beginCounting(tx, org)
  if (await store.addHeld(tx, org, more)) return
  const room = await store.findRoom(tx, org)
  for (const held of ['bases', 'documents', 'bytes', 'chunks'] as const) {
    const most = room?.[`most_${held}`] ?? null
    if (room && most !== null && more[held] > 0 && room[held] + more[held] > most)
      throw tooMany(
        `this org may hold ${most} ${nouns[held]} and has ${room[held]}: delete some, or ask the operator for more`,
      ).as('QUOTA_EXCEEDED')
  }
  throw new Error('what is held was not counted, and no cap says why')
}
