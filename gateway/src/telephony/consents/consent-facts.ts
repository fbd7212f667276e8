import type { ConsentStanding, SentConsent } from '@switchroom/contract/consents'
import type { Queryable, Transaction } from '../../database/database.ts'
import { newId } from '../../foundation/secrets.ts'
import * as store from './consents.store.ts'

/** Who said it, when, and on which call if on one. */
interface Said {
  org: string
  by: string
  call?: string
  at: Date
}

export interface GivenConsent extends Said, Omit<SentConsent, 'kind'> {
  number: string
  kind: 'express' | 'written'
}

export interface MadeOptOut extends Said {
  numbers: readonly string[]
  source?: string
}

const nothing = { kind: null, source: null, text: null, evidence: null, call: null }

/** The newest fact of a number decides its standing. */
export async function recordConsent(tx: Transaction, { number, ...given }: GivenConsent) {
  await store.shareOrg(tx, given.org)
  await store.insertFacts(tx, [newFactId()], [number], { ...nothing, ...given, fact: 'consent' })
}

export async function recordOptOut(tx: Transaction, { numbers, ...made }: MadeOptOut) {
  await store.shareOrg(tx, made.org)
  await store.insertFacts(tx, numbers.map(newFactId), numbers, { ...nothing, ...made, fact: 'opt_out' })
}

export async function standingOf(database: Queryable, org: string, number: string): Promise<ConsentStanding> {
  const standing = await store.findStanding(database, org, number)
  return standing ? standingBy(standing.fact) : 'unknown'
}

export const standingBy = (newest: store.NewFact['fact']): ConsentStanding =>
  newest === 'opt_out' ? 'opted_out' : 'consented'

const newFactId = () => newId('cns', 12)
