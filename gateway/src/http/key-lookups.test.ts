import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../testing/deployment.ts'
import { DatabaseUnavailable, type Database, type Statement, type Value } from '../database/database.ts'
import { KeyLookups } from './key-lookups.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { database, clock } = deployment.gateway.services
const org = await deployment.newOrg()
const [one, two] = [await org.serverToken('sandbox'), await org.serverToken('production')]

function recorded() {
  const asked: unknown[] = []
  const recording = {
    row: (query: Statement<object>, ...values: Value[]) => (
      asked.push(values[0]),
      database.row(query, ...values)
    ),
    rows: (query: Statement<object>, ...values: Value[]) => (
      asked.push(values[0]),
      database.rows(query, ...values)
    ),
  }
  return { asked, lookups: new KeyLookups(recording as Database, clock) }
}

test('keys that requests present in one turn of the event loop are found with one statement, each its own', async () => {
  const { asked, lookups } = recorded()
  const bearers = [one.key, two.key, one.key, 'svc_unknown', two.key]
  const found = await Promise.all(bearers.map((bearer) => lookups.find(bearer)))
  assert.deepEqual(
    found.map((key) => key?.env),
    ['sandbox', 'production', 'sandbox', undefined, 'production'],
  )
  assert.equal(asked.length, 1)
  const alone = await lookups.find(one.key)
  assert.deepEqual(alone, found[0])
  assert.equal(asked.length, 2)
})

test('a request that comes while its key is looked up for another gets the key as it is after it came', async () => {
  const { asked, lookups } = recorded()
  const token = await org.serverToken('sandbox')
  const first = lookups.find(token.key)
  while (asked.length === 0) await new Promise(setImmediate)
  const second = lookups.find(token.key)
  assert.equal((await first)?.is_revoked, false)
  await second
  assert.equal(asked.length, 2)
  await deployment.sql(`update keys set revoked_at = now() where id = $1`, [(await first)?.id])
  assert.equal((await lookups.find(token.key))?.is_revoked, true)
})

test('when the database cannot serve, everybody who waits for a key is told', async () => {
  const broken = async () => {
    throw new DatabaseUnavailable(new Error('it is stopped'))
  }
  const lookups = new KeyLookups({ row: broken, rows: broken } as unknown as Database, clock)
  const asked = [one.key, one.key, two.key].map((bearer) => lookups.find(bearer))
  for (const outcome of await Promise.allSettled(asked)) {
    assert.equal(outcome.status, 'rejected')
    assert.ok(outcome.reason instanceof DatabaseUnavailable)
  }
})
