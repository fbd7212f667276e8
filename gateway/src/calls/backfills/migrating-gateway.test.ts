import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'pg'
import { emptyDatabase } from '../../../testing/databases.ts'
import { startOn, type Deployment } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'
import { Database, statement, type Transaction } from '../../database/database.ts'
import { migrate, shippedMigrations } from '../../database/migrations.ts'

/** Of the older release: everything newer is migrated to while it writes. */
const newest = '0037_trunk_tests.sql'
const olderCalls = 2000
/** One in ten minutes, all within a day. */
const olderDials = 100

const database = await emptyDatabase()
const pool = new Pool({ connectionString: database.url, statement_timeout: 25_000 })
const olderGateway = new Database(database.url, () => {})
let deployment: Deployment | undefined
let writes: OlderWrites | undefined
after(async () => {
  await writes?.stop().catch(() => {}) // the test fails with it
  await deployment?.[Symbol.asyncDispose]()
  await olderGateway.close()
  await pool.end()
  await database.drop()
})

await migrate(
  pool,
  (await shippedMigrations()).filter(({ name }) => name <= newest),
)
await pool.query(`
  insert into orgs (id, slug, name, quotas, created_at) values ('org_1', 'one', 'One', '{}', now());
  insert into agents (org, slug, created_at) values ('org_1', 'desk', now());
  insert into calls (id, org, agent, env, holder, channel, opened_at, ended_at, state, settings, canary, contact)
  select 'call_' || n, 'org_1', 'desk', 'sandbox', '', 'phone', now(), now(), 'ended', '[]', false, '+34600' || n
  from generate_series(1, ${olderCalls}) as n;
  insert into logs (id, org, env, agent, call, seq, sealed) select id, org, env, agent, id, 2, true from calls;
  insert into entries (log, seq, ts, type, entry, org)
  select id, 1, 1, 'user.message', '{"data":{"text":"hello there"}}', 'org_1' from calls
  union all select id, 2, 1, 'call.ended', '{"data":{}}', null from calls;
  insert into dials (id, org, env, agent, kind, called, by, outcome, status, at)
  select 'dial_' || n, 'org_1', 'sandbox', 'desk', 'dial', '+34600', 'key', 'taken', 202, now() - n * interval '10 minutes'
  from generate_series(1, ${olderDials}) as n`)

const insertCall = statement(`
  insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary, contact)
  values ($1, 'org_1', 'desk', 'sandbox', '', 'phone', now(), '[]', false, $1)`)
const insertLog = statement(`
  insert into logs (id, org, env, agent, call, seq) values ($1, 'org_1', 'sandbox', 'desk', $1, 0)`)
const nextSeq = statement<{ seq: number }>(`update logs set seq = seq + 1 where id = $1 returning seq`)
const insertEntry = statement(`
  insert into entries (log, seq, ts, type, entry, org)
  values ($1, $2, 1, 'agent.message', '{"data":{"text":"to which day"}}', 'org_1')`)

async function append(tx: Transaction, call: string) {
  const { seq } = (await tx.row(nextSeq, call)) ?? {}
  await tx.rows(insertEntry, call, seq)
}

/** Opens calls and appends to them, as the older release's gateway does. */
class OlderWrites {
  written = 0
  readonly #running: Promise<void>[]
  #isOver = false

  constructor(writers: number) {
    this.#running = Array.from({ length: writers }, (_, writer) => this.#write(writer))
    for (const running of this.#running) running.catch(() => {}) // awaited at the end
  }

  async stop() {
    this.#isOver = true
    await Promise.all(this.#running)
  }

  async #write(writer: number) {
    for (let n = 0; !this.#isOver; n += 1) {
      const call = `new_${writer}_${n}`
      await olderGateway.transaction(async (tx) => {
        await tx.rows(insertCall, call)
        await tx.rows(insertLog, call)
        await append(tx, call)
      })
      await olderGateway.transaction((tx) => append(tx, call))
      this.written += 2
      await pause(20)
    }
  }
}

const isMigrationWaiting = async () =>
  (await pool.query(`select from pg_locks where not granted and relation = 'gateways'::regclass`)).rowCount

test('an older gateway loses no write while a newer one migrates beside it, and a long reader makes the migration try again', async () => {
  const older = new OlderWrites(3)
  writes = older
  const reader = await pool.connect()
  await reader.query('begin; select from gateways')
  const starting = startOn(database, {}, false)
  starting.catch(() => {}) // awaited once the reader is done
  try {
    for (const time of ['first', 'second']) {
      await until(`the migration waits for the reader the ${time} time`, isMigrationWaiting)
      // Behind a migration that waits without an end, this one would wait for as long as the reader reads.
      await pool.query('select from gateways')
      const { written } = older
      await until('the older gateway writes meanwhile', () => older.written > written + 4)
    }
  } finally {
    await reader.query('commit')
    reader.release()
    deployment = await starting
  }

  await until('everything is derived', async () => {
    const { rowCount } = await pool.query('select from call_backfills where done_at is null')
    return rowCount === 0
  })
  await older.stop()
  const { rows } = await pool.query(`
    select (select count(*)::int from entries where log like 'new_%') as written,
      (select count(*)::int from logs where seq <> (select count(*) from entries where log = logs.id)) as torn,
      (select count(*)::int from entries where org is not null) as turns,
      (select count(*)::int from turn_words) as turns_searched,
      (select sum(count)::int from quota_counts where counted = 'dials') as dials,
      (select count(distinct contact)::int from calls) as contacts,
      (select count(*)::int from (select contact from threads union select contact from thread_touches) as t) as threads`)
  const { written, torn, turns, turns_searched, dials, contacts, threads } = rows[0]
  assert.deepEqual(
    { written, torn, turns: turns_searched, dials, contacts: threads },
    { written: older.written, torn: 0, turns, dials: olderDials, contacts },
  )
})
