import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Pool } from 'pg'
import { refused } from '../../../testing/client.ts'
import { emptyDatabase } from '../../../testing/databases.ts'
import { operatorKey, startDeployment } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'
import { migrate, shippedMigrations } from '../../database/migrations.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { operator, gateway } = deployment
const { accounts } = gateway.services

const at = (org: string) => `/v1/ops/orgs/${org}/account`
const full = { plan: 'pro', subscribed: true, credits: 1000 }

test('a newborn org has the plan pro, a subscription and 1000 credits, or what the settings say (SD-66)', async () => {
  const org = await deployment.newOrg()
  for (const name of [org.id, org.slug])
    assert.deepEqual((await operator.get(at(name))).body, { plan: 'pro', subscribed: true, credits: 1000 })

  const wanted = { SVC_NEW_ORG_PLAN: 'free', SVC_NEW_ORG_CREDITS: '12.5' }
  await using frugal = await deployment.another(wanted)
  const { slug } = await frugal.newOrg()
  assert.deepEqual((await operator.get(at(slug))).body, { plan: 'free', subscribed: true, credits: 12.5 })
})

test('an org is made together with its account or not at all (SD-66)', async () => {
  await using own = await startDeployment()
  await own.sql('alter table accounts rename to accounts_gone')
  const headers = { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ slug: 'half-made' })
  const answer = await fetch(`${own.url}/v1/ops/orgs`, { method: 'POST', headers, body })
  assert.equal(answer.status, 500)
  await own.sql('alter table accounts_gone rename to accounts')
  assert.deepEqual((await own.operator.get('/v1/ops/orgs')).body, { orgs: [] })
})

test('orgs from before accounts get the plan pro, a subscription and 1000 credits (SD-66)', async () => {
  const database = await emptyDatabase()
  const pool = new Pool({ connectionString: database.url, max: 1 })
  const migrations = await shippedMigrations()
  const before = migrations.filter(({ name }) => name < '0007_accounts.sql')
  await migrate(pool, before)
  await pool.query(
    `insert into orgs (id, slug, name, quotas, created_at) values ('org_1', 'a', 'A', '{}', now())`,
  )
  await migrate(pool, migrations)
  const { rows } = await pool.query('select org, plan, subscribed, credits::float8 as credits from accounts')
  assert.deepEqual(rows, [{ org: 'org_1', plan: 'pro', subscribed: true, credits: 1000 }])
  await pool.end()
  await database.drop()
})

test('the operator replaces an account whole (SD-66)', async () => {
  const { id, slug } = await deployment.newOrg()
  const wanted = { plan: 'enterprise', subscribed: false, credits: 0.125 }
  const replaced = await operator.put(at(slug), { ...wanted, colour: 'red' })
  assert.deepEqual([replaced.status, replaced.body], [200, wanted])
  assert.deepEqual((await operator.get(at(id))).body, wanted)
})

test('an account that lacks a field or has one of another type is 422 (SD-66)', async () => {
  const { slug } = await deployment.newOrg()
  for (const name of ['plan', 'subscribed', 'credits'] as const) {
    const { [name]: _, ...rest } = full
    refused(await operator.put(at(slug), rest), 422, `${name}: is required`)
  }
  refused(await operator.put(at(slug), { ...full, credits: '7' }), 422, 'credits: must be a number')
  refused(
    await operator.put(at(slug), { ...full, subscribed: 'yes' }),
    422,
    'subscribed: must be true or false',
  )
  assert.deepEqual((await operator.get(at(slug))).body, full)
})

test('an unknown plan, and credits below zero or beyond reason, are 400 and change nothing (SD-66)', async () => {
  const { slug } = await deployment.newOrg()
  for (const plan of ['', 'Pro', 'gold'])
    refused(await operator.put(at(slug), { ...full, plan }), 400, 'plan is free, pro, enterprise')
  for (const credits of [-1, -0.001, 1_000_000_001, 1e300])
    refused(
      await operator.put(at(slug), { ...full, credits }),
      400,
      'credits is a number from 0 to 1000000000',
    )
  const endless = '{"plan": "pro", "subscribed": true, "credits": 1e999}'
  const headers = { 'content-type': 'application/json' }
  refused(
    await operator.raw(at(slug), { method: 'PUT', headers, body: endless }),
    400,
    'credits is a number from 0 to 1000000000',
  )
  assert.deepEqual((await operator.get(at(slug))).body, full)
  for (const credits of [0, 1_000_000_000])
    assert.equal((await operator.put(at(slug), { ...full, credits })).body.credits, credits)
})

test('an org there is none of has no account (SD-66)', async () => {
  refused(await operator.get(at('nowhere')), 404, 'there is no org nowhere')
  refused(await operator.put(at('nowhere'), full), 404, 'there is no org nowhere')
})

const orgWith = async (credits: number) => {
  const { id } = await deployment.newOrg()
  assert.equal((await operator.put(at(id), { ...full, credits })).status, 200)
  return { id, left: async () => (await accounts.read(id)).credits }
}

test('of 50 holds concurrently exactly those that the credits suffice for are given (SD-66)', async () => {
  const { id, left } = await orgWith(10)
  const held = await Promise.all(Array.from({ length: 50 }, () => accounts.hold(id, 1)))
  assert.equal(held.filter(Boolean).length, 10)
  assert.equal(await left(), 0)
})

test('a hold takes the last credits and not one more, and what is given back can be held again (SD-66)', async () => {
  const { id, left } = await orgWith(1)
  assert.equal(await accounts.hold(id, 1.000000001), false)
  assert.equal(await accounts.hold(id, 1), true)
  assert.equal(await accounts.hold(id, 0.000000001), false)
  await accounts.giveBack(id, 0.25)
  assert.equal(await accounts.hold(id, 0.25), true)
  assert.equal(await left(), 0)
})

test('a tenth taken a thousand times is a hundred, to the last digit (SD-66)', async () => {
  const { id, left } = await orgWith(1000)
  for (let rounds = 0; rounds < 50; rounds += 1)
    await Promise.all(Array.from({ length: 20 }, () => accounts.charge(id, 0.1)))
  assert.equal(await left(), 900)
  await until('it is settled', async () => {
    await accounts.settle()
    const kept = await deployment.sql('select credits::text from accounts where org = $1', [id])
    return kept.rows[0].credits === '900.000000000'
  })
  assert.equal(await left(), 900)
})

test('the tail that floating point adds to an amount is not part of its price (SD-66)', async () => {
  const { id, left } = await orgWith(0.3)
  assert.ok(3 * 0.1 > 0.3)
  assert.equal(await accounts.hold(id, 3 * 0.1), true)
  assert.equal(await left(), 0)
})

test('what is known only afterwards is charged whole, below zero too, and then nothing is held (SD-66)', async () => {
  const { id, left } = await orgWith(1)
  await accounts.charge(id, 3.5)
  assert.equal(await left(), -2.5)
  assert.equal((await operator.get(at(id))).body.credits, -2.5)
  assert.equal(await accounts.hold(id, 0.1), false)
})

test('an amount that is no amount moves nothing (SD-66)', async () => {
  const { id, left } = await orgWith(5)
  for (const credits of [-1, Number.NaN, Infinity])
    for (const move of ['hold', 'charge', 'giveBack'] as const)
      await assert.rejects(accounts[move](id, credits), { message: `${credits} is no amount of credits` })
  assert.equal(await left(), 5)
})
