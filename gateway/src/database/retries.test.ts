import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { emptyDatabase } from '../../testing/databases.ts'
import { Database, statement } from './database.ts'
import { refusalOfRace } from './retries.ts'

const { url, drop } = await emptyDatabase()
const database = new Database(url, () => {})
await database.pool.query(`
  create table parents (id int primary key);
  create table children (parent int references parents);
  create table counters (id int primary key, n int not null);
  insert into counters values (1, 0), (2, 0);
  create sequence attempts;
  create function undone() returns void language plpgsql as $$
    begin raise exception 'others were first' using errcode = '40001'; end $$`)
after(async () => {
  await database.close()
  await drop()
})

const count = statement(`update counters set n = n + 1 where id = $1`)
const counters = statement<{ n: number }>(`select n from counters order by id`)

test('of two transactions that wait for each other, the one that PostgreSQL undoes runs again, and both are kept', async () => {
  const { promise: bothHold, resolve } = Promise.withResolvers<void>()
  let [holding, runs, committed] = [0, 0, 0]
  const inOrder = (first: number, second: number) =>
    database.transaction(async (tx) => {
      runs += 1
      tx.afterCommit(() => (committed += 1))
      await tx.rows(count, first)
      holding += 1
      if (holding === 2) resolve()
      await bothHold
      await tx.rows(count, second)
    })
  await Promise.all([inOrder(1, 2), inOrder(2, 1)])
  assert.equal(runs, 3)
  assert.equal(committed, 2)
  assert.deepEqual(await database.rows(counters), [{ n: 2 }, { n: 2 }])
})

test('a transaction or a statement that is undone each time is given up, and refused with when to try again', async () => {
  const failing = statement(`select undone() from (select nextval('attempts')) as counted`)
  const ways = [
    () => database.rows(failing),
    () => database.row(failing),
    () => database.transaction((tx) => tx.rows(failing)),
  ]
  for (const way of ways) {
    await database.pool.query(`alter sequence attempts restart`)
    const error = await way().catch((thrown: unknown) => thrown)
    const refusal = refusalOfRace(error)
    assert.equal(refusal?.status, 503)
    assert.equal(refusal.message, 'too many requests change the same thing now: try again in a second')
    assert.deepEqual(refusal.headers, { 'retry-after': '1' })
    assert.deepEqual(await database.row(statement(`select last_value as n from attempts`)), { n: 6 })
  }
})

test('a row that names what is gone, or takes what is taken, is refused with what to do', async () => {
  const wrong = [`insert into children values (7)`, `insert into counters values (1, 0)`]
  for (const text of wrong) {
    const error = await database.rows(statement(text)).catch((thrown: unknown) => thrown)
    const refusal = refusalOfRace(error)
    assert.equal(refusal?.status, 409)
    assert.equal(
      refusal.message,
      'another request changed what this one names at the same moment: read it again and repeat',
    )
  }
  assert.equal(refusalOfRace(new Error('another thing')), undefined)
})
