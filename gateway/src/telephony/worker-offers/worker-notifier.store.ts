import { statement, type Queryable } from '../../database/database.ts'

const waiting = statement<{ env: string }>(`
  select env from browser_calls where offered_at is not null and worker is null and offered_at > $1
  union select env from placement_offers where worker is null and outcome is null and offered_at > $1
  union select env from trunk_test_offers where worker is null and report is null and offered_at > $1`)

/** The environments in which an offer waits for a worker. */
export const findWaiting = (database: Queryable, since: Date) => database.rows(waiting, since)
