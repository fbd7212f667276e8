import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, Pool } from 'pg'
import { emptyDatabase } from '../../../testing/databases.ts'
import { startOn } from '../../../testing/deployment.ts'
import { EventReader } from '../../../testing/calls/event-reader.ts'
import { range, said } from '../../../testing/calls/test-logs.ts'
import { until } from '../../../testing/until.ts'
import { migrate, shippedMigrations } from '../../database/migrations.ts'
import { callLog } from '../log/entries.ts'
import { monthOf } from '../log/months.ts'

const go = new AbortController().signal
/** The indexes that it needs are made first, by a task of the gateway. */
const movedWithinMs = 120_000

/** A database of the version before there were partitions, with an org and calls that each have five entries. */
async function olderDatabase(calls: number) {
  const database = await emptyDatabase()
  const pool = new Pool({ connectionString: database.url, max: 2 })
  const all = await shippedMigrations()
  await migrate(
    pool,
    all.filter(({ name }) => name < '0044'),
  )
  await pool.query(`
    insert into orgs (id, slug, name, quotas, created_at) values ('org_1', 'one', 'One', '{}', now());
    insert into agents (org, slug, created_at) values ('org_1', 'desk', now());
    insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary)
    select 'call_' || n, 'org_1', 'desk', 'sandbox', '', 'chat', now(), '[]', false from generate_series(1, ${calls}) n;
    insert into logs (id, org, env, agent, call, seq) select id, org, env, agent, id, 5 from calls;
    insert into entries (log, seq, ts, type, entry, org)
    select id, seq, 1, 'user.message', '{"seq":' || seq || ',"type":"user.message","data":{"text":"before"}}', 'org_1'
    from calls, generate_series(1, 5) seq`)
  await pool.end()
  return database
}

/** Appends as a gateway of the version before does, with statements that it prepared before the move. */
class OlderGateway {
  readonly #client: Client
  isStopping = false
  readonly appended = new Map<string, number>()

  constructor(url: string) {
    this.#client = new Client({ connectionString: url })
  }

  connect = () => this.#client.connect()
  end = () => this.#client.end()

  async append(id: string) {
    await this.#client.query({
      name: 'append',
      text: `
        with locked as materialized (
          select id, org, seq from logs where id = $1 and not sealed for update
        ), grown as (
          update logs set seq = locked.seq + 1 from locked where logs.id = locked.id
          returning logs.id, locked.org, locked.seq as before
        ), kept as (
          insert into entries (log, seq, ts, type, entry, org)
          select id, before + 1, 2, 'user.message',
            '{"seq":' || (before + 1) || ',"type":"user.message","data":{"text":"meanwhile"}}', org
          from grown
        )
        select from grown`,
      values: [id],
    })
    this.appended.set(id, (this.appended.get(id) ?? 0) + 1)
  }

  async read(id: string): Promise<number[]> {
    const text = `select seq, type, entry from entries where log = $1 and seq > $2 order by seq limit $3`
    const { rows } = await this.#client.query({ name: 'page', text, values: [id, 0, 10_000] })
    return rows.map(({ seq }) => seq)
  }

  async writeTo(ids: readonly string[]) {
    for (let n = 0; !this.isStopping; n += 1) {
      await this.append(ids[n % ids.length] ?? '')
      await pause(2)
    }
  }
}

test('a database is moved to partitions while a gateway of the version before and a new one append and readers read: no gap, nothing lost, no `seq` twice', async () => {
  const database = await olderDatabase(200)
  const older = new OlderGateway(database.url)
  await older.connect()
  const ids = range(1, 10).map((n) => `call_${n}`)
  for (let n = 0; n < 10; n += 1) await older.append('call_1')
  await older.read('call_1')
  const writing = older.writeTo(ids)
  writing.catch(() => {})
  await using deployment = await startOn(database, {})
  const { services } = deployment.gateway
  const refs = ids.map((id) => callLog({ id, org: 'org_1', env: 'sandbox', agent: 'desk' }))
  const made = await deployment.operator.post('/v1/ops/orgs/one/keys', { label: 'ci', env: 'sandbox' })
  const reading = { authorization: `Bearer ${made.body.key}` }
  const readers = await Promise.all(
    ids.map((id) => EventReader.open(`${deployment.url}/v1/calls/${id}/events`, reading)),
  )
  let appended = 0
  const moved = new AbortController()
  const append = async () => {
    while (!moved.signal.aborted) {
      for (const ref of refs) await services.log.append(ref, [said('by the new one'), said('and more')])
      appended += 1
      await pause(10)
    }
  }
  const appending = append()
  appending.catch(() => {})
  await until(
    'it is partitioned',
    async () => {
      await services.entryPartitions.run(go)
      const { rows } = await deployment.sql('select count(*)::int as n from entry_months')
      return rows[0].n === 3
    },
    movedWithinMs,
  )
  const [count, olders] = [appended, older.appended.get('call_1') ?? 0]
  await until('both append after it', () => appended > count && (older.appended.get('call_1') ?? 0) > olders)
  moved.abort()
  await appending
  older.isStopping = true
  await writing

  for (const [place, id] of ids.entries()) {
    const length = 5 + 2 * appended + (older.appended.get(id) ?? 0)
    assert.deepEqual(await older.read(id), range(1, length), id)
    const entries = await services.log.read(id, 0, 100_000)
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      range(1, length),
    )
    // Closed by now if it could not keep up; it would resume.
    const reader = readers[place]
    await until(`the reader of ${id} has all`, () => (reader?.seqs.length ?? 0) >= length)
    assert.deepEqual([reader?.seqs, reader?.find('log.gap')], [range(1, length), undefined])
    reader?.[Symbol.dispose]()
  }
  const { rows } = await deployment.sql(`
    select count(*)::int as entries, count(distinct (log, seq))::int as different,
      count(*) filter (where month <> 0)::int as others from entries`)
  assert.deepEqual([rows[0].entries, rows[0].others], [rows[0].different, 0])
  const words = await deployment.sql('select count(*)::int as n from turn_words')
  assert.equal(words.rows[0].n, rows[0].entries)
  await older.end()
})

test('a gateway of the version before appends to a call that a new one opened in a month, and to those that it opens itself', async () => {
  const database = await olderDatabase(1)
  const older = new OlderGateway(database.url)
  await older.connect()
  await older.append('call_1')
  await using deployment = await startOn(database, {})
  const { services } = deployment.gateway
  await until(
    'it is partitioned',
    async () => {
      await services.entryPartitions.run(go)
      return (await deployment.sql('select from entry_months')).rowCount === 3
    },
    movedWithinMs,
  )
  const ref = callLog({ id: 'call_new', org: 'org_1', env: 'sandbox', agent: 'desk' })
  await services.log.open(services.database, ref)
  for (let n = 0; n < 3; n += 1) {
    await services.log.append(ref, [said('new')])
    await older.append('call_new')
  }
  await deployment.sql(
    `insert into logs (id, org, env, agent, call) values ($1, 'org_1', 'sandbox', 'desk', $1)`,
    ['call_old'],
  )
  await older.append('call_old')
  await services.log.append({ ...ref, id: 'call_old', call: 'call_old' }, [said('new')])
  const { rows } = await deployment.sql(`
    select log, month, tableoid::regclass::text as partition, array_agg(seq order by seq) as seqs
    from entries where log in ('call_new', 'call_old') group by 1, 2, 3 order by 1`)
  const month = monthOf(new Date())
  assert.deepEqual(rows, [
    { log: 'call_new', month, partition: `entries_${month}`, seqs: range(1, 6) },
    { log: 'call_old', month: 0, partition: 'entries_without_month', seqs: [1, 2] },
  ])
  await older.end()
})
