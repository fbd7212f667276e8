import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { emptyDatabase } from '../../testing/databases.ts'
import { Database, inlined, statement } from './database.ts'

const { url, drop } = await emptyDatabase()
const database = new Database(url, () => {})
await database.pool.query('create table notes (n int primary key)')
after(async () => {
  await database.close()
  await drop()
})

const insert = statement('insert into notes values ($1)')
const count = statement<{ n: number }>('select count(*) as n from notes')

test('a transaction that throws keeps nothing and gives its connection back', async () => {
  const attempts = Array.from({ length: 60 }, (_, n) =>
    database.transaction(async (tx) => {
      await tx.rows(insert, n)
      throw new Error('changed my mind')
    }),
  )
  const settled = await Promise.allSettled(attempts)
  assert.ok(
    settled.every((result) => result.status === 'rejected' && result.reason.message === 'changed my mind'),
  )
  assert.deepEqual(await database.row(count), { n: 0 })
  assert.equal(database.pool.idleCount, database.pool.totalCount)
})

test('a callback after the commit runs once every connection sees the rows, and never after a rollback', async () => {
  const seen: Promise<unknown>[] = []
  const work = (n: number) =>
    database.transaction(async (tx) => {
      tx.afterCommit(() => seen.push(database.row(count)))
      await tx.rows(insert, n)
      if (n > 1) throw new Error('changed my mind')
    })
  await work(1)
  await assert.rejects(work(2))
  assert.deepEqual(await Promise.all(seen), [{ n: 1 }])
})

test('a timestamp reads as RFC 3339 in UTC with milliseconds (ID-06)', async () => {
  const moment = statement<{ at: string }>(`select '2026-03-01 13:00:00.1234+01'::timestamptz as at`)
  assert.deepEqual(await database.row(moment), { at: '2026-03-01T12:00:00.123Z' })
})

test('a statement is parsed once per connection', async () => {
  await database.transaction(async (tx) => {
    await tx.rows(count)
    await tx.rows(count)
    const prepared = statement<{ n: number }>(
      'select count(*) as n from pg_prepared_statements where name = $1',
    )
    assert.deepEqual(await tx.row(prepared, count.name), { n: 1 })
  })
})

test('a transaction that begins with a lock keeps others out of it until its end, whatever the id holds', async () => {
  await database.pool.query(`create table doors (id text primary key)`)
  const id = `it's '; drop table notes; -- $1 $&`
  await database.rows(statement('insert into doors values ($1)'), id)
  const lock = inlined('select from doors where id = $1 for update', id)
  const order: string[] = []
  const first = database.transactionHolding(lock, async () => {
    order.push('first')
    await database.row(count) // on another connection
    order.push('first again')
  })
  const second = database.transactionHolding(lock, async () => void order.push('second'))
  await Promise.all([first, second])
  const [a, b, c] = order
  assert.ok((a === 'first' && b === 'first again') || (b === 'first' && c === 'first again'), order.join())
  await assert.rejects(
    database.transactionHolding(lock, async (tx) => {
      await tx.rows(insert, 1000)
      throw new Error('changed my mind')
    }),
    /changed my mind/,
  )
  assert.equal((await database.pool.query('select from notes where n = 1000')).rowCount, 0)
})

test('what is written with the commit is kept with everything before it, or nothing is, whatever its values hold', async () => {
  await database.pool.query(`create table leaves (id text primary key, at timestamptz, size int)`)
  const text = `insert into leaves values ($1, $2, $3)`
  const id = `it's \\ '; drop table notes; -- $1 $&`
  const write = (n: number, ...values: [string, Date | null, number | null]) =>
    database.transaction(async (tx) => {
      tx.withCommit(inlined(text, ...values))
      await tx.rows(insert, n)
    })
  const at = new Date('2026-03-01T12:00:00.123Z')
  await write(2001, id, at, 7)
  await assert.rejects(write(2002, id, null, null), /duplicate key/)
  await write(2003, 'plain', null, null)
  const { rows } = await database.pool.query('select * from leaves order by size')
  assert.deepEqual(rows, [
    { id, at: at.toISOString(), size: 7 },
    { id: 'plain', at: null, size: null },
  ])
  const kept = await database.pool.query('select n from notes where n > 2000 order by n')
  assert.deepEqual(kept.rows, [{ n: 2001 }, { n: 2003 }])
})

test('a transaction whose first statement fails leaves its connection fit for the next, and one that cannot begin says why', async () => {
  const divide = statement<{ n: number }>('select 1 / $1::int as n')
  const use = (divisor: number) => database.transaction((tx) => tx.row(divide, divisor))
  await Promise.all(Array.from({ length: 60 }, () => assert.rejects(use(0), /division by zero/)))
  const quotients = await Promise.all(Array.from({ length: 60 }, () => use(1)))
  assert.ok(quotients.every((quotient) => quotient?.n === 1))
  const nowhere = inlined('select from nowhere where id = $1 for update', 'a')
  await assert.rejects(
    database.transactionHolding(nowhere, async (tx) => tx.row(divide, 1)),
    /relation "nowhere" does not exist/,
  )
  const own = statement<{ ended: boolean }>('select pg_terminate_backend(pg_backend_pid()) as ended')
  await assert.rejects(
    database.transaction(async (tx) => tx.row(own)),
    /terminat/,
  )
  assert.deepEqual(await use(1), { n: 1 })
  assert.equal(database.pool.idleCount, database.pool.totalCount)
})
