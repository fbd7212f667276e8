import { statement, type Transaction } from '../../database/database.ts'

/** Threads of deleted calls as arrays, which PostgreSQL unnests. */
export interface ThreadColumns {
  orgs: string[]
  envs: string[]
  agents: string[]
  contacts: string[]
  /** The org's own number, if there is one. */
  numbers: (string | null)[]
}

const columnsOf = ({ orgs, envs, agents, contacts }: ThreadColumns) => [orgs, envs, agents, contacts]

const ofThreads = `unnest($1::text[], $2::text[], $3::text[], $4::text[]) as old (org, env, agent, contact)`
const isOfThread = (table: string) =>
  ['org', 'env', 'agent', 'contact'].map((column) => `${table}.${column} = old.${column}`).join(' and ')
const hasNoCall = `not exists (select from calls where ${isOfThread('calls')})`

// A thread that something moved up meanwhile stays, also if its new call is not seen yet.
const removeThreads = statement(`
  delete from threads using ${ofThreads}
  where ${isOfThread('threads')} and threads.last_at < extract(epoch from $5::timestamptz) and ${hasNoCall}`)

export const deleteThreads = (tx: Transaction, threads: ThreadColumns, before: Date) =>
  tx.rows(removeThreads, ...columnsOf(threads), before)

const removeMarks = statement(`
  delete from thread_reads using ${ofThreads}
  where ${isOfThread('thread_reads')} and thread_reads.read_at < $5 and ${hasNoCall}`)

/** How far persons have read them. */
export const deleteMarks = (tx: Transaction, threads: ThreadColumns, before: Date) =>
  tx.rows(removeMarks, ...columnsOf(threads), before)

const removeConversations = statement(`
  delete from conversations c
  using unnest($1::text[], $2::text[], $3::text[], $4::text[]) as old (org, env, number, contact)
  where c.org = old.org and c.env = old.env and c.number = old.number and c.contact = old.contact
    and c.call is null and coalesce(c.wrote_at, '-infinity') < $5`)

/** Of contacts who wrote no younger message and have no call. */
export const deleteConversations = (
  tx: Transaction,
  { orgs, envs, numbers, contacts }: ThreadColumns,
  before: Date,
) => tx.rows(removeConversations, orgs, envs, numbers, contacts, before)
