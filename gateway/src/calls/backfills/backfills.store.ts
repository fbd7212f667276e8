import { statement, type Queryable, type Transaction } from '../../database/database.ts'

const take = statement<{ reached: string }>(`
  select reached from call_backfills where name = $1 and done_at is null for update skip locked`)

/** Undefined if it is done, or another gateway is at it. */
export const takeBackfill = (tx: Transaction, name: string) => tx.row(take, name)

const next = statement<{ id: string }>(`select id from calls where id > $1 order by id limit $2`)

export const nextCalls = (tx: Transaction, after: string, limit: number) => tx.rows(next, after, limit)

const lock = statement(`select from logs where id = any($1::text[]) order by id collate "C" for update`)

/** In the order of all writers, so that no two deadlock. */
export const lockLogs = (tx: Transaction, calls: readonly string[]) => tx.rows(lock, calls)

const reached = statement(`update call_backfills set reached = $2 where name = $1`)

export const reach = (tx: Transaction, name: string, to: string) => tx.rows(reached, name, to)

const end = statement(`update call_backfills set done_at = $2 where name = $1`)

export const endBackfill = (tx: Transaction, name: string, now: Date) => tx.rows(end, name, now)

const done = statement<{ is_done: boolean }>(`
  select done_at is not null as is_done from call_backfills where name = $1`)

export const isDone = async (database: Queryable, name: string) =>
  (await database.row(done, name))?.is_done ?? false
