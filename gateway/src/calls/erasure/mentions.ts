import type { Transaction } from '../../database/database.ts'
import { agentLog } from '../log/entries.ts'
import * as store from './mentions.store.ts'

const entriesAtOnce = 500

/** How entries about people are erased from agents' own logs. */
export interface Mentions {
  eraseOfCalls: typeof store.eraseOfCalls
  eraseOfContact: typeof store.eraseOfContact
}

/** Until it is known whom every entry is about, all entries of the org's agents are parsed. */
export const mentionsBy = (areAllKnown: boolean): Mentions =>
  areAllKnown
    ? { eraseOfCalls: store.eraseOfCalls, eraseOfContact: store.eraseOfContact }
    : { eraseOfCalls: store.eraseOfCallsByParsing, eraseOfContact: store.eraseOfContactByParsing }

/** Up to where agents' own logs are filled in. */
interface Reached extends store.AgentLog {
  ts: number
  seq: number
}

/** A step of the backfill: some entries of one agent's own log, those of the next agent when it is through. */
export async function fillMentions(tx: Transaction, reached: string): Promise<string | undefined> {
  if (reached !== '') {
    const at = JSON.parse(reached) as Reached
    const last = await store.fillMentions(tx, { log: agentLog(at).id, org: at.org, after: at }, entriesAtOnce)
    if (last) return JSON.stringify({ ...at, ...last })
  }
  const before =
    reached === '' ? ({ org: '', env: '', agent: '' } as const) : (JSON.parse(reached) as Reached)
  const next = await store.nextLog(tx, before)
  return next && JSON.stringify({ org: next.org, env: next.env, agent: next.agent, ts: -1, seq: 0 })
}
