import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const { sql, operator, gateway } = deployment
const { accounts, database } = gateway.services
const others = other.gateway.services.accounts

const orgWith = async (credits: number) => {
  const { id } = await deployment.newOrg()
  const account = { plan: 'pro', subscribed: true, credits }
  assert.equal((await operator.put(`/v1/ops/orgs/${id}/account`, account)).status, 200)
  return id
}
const storedOf = async (org: string) =>
  Number((await sql('select credits from accounts where org = $1', [org])).rows[0].credits)
const changesOf = async (org: string) =>
  (await sql('select count(*)::int as count from credit_changes where org = $1', [org])).rows[0].count
/** The gateways settle by themselves as well, and an account that one has locked is left out by the other. */
const settleTo = async (org: string, credits: number) => {
  await until('it is settled', async () => {
    await others.settle()
    return (await changesOf(org)) === 0
  })
  assert.equal(await storedOf(org), credits)
}

test('a charge counts at once on every gateway, and is summed into the account later (SD-66)', async () => {
  const org = await orgWith(10)
  await accounts.charge(org, 4)
  assert.equal((await others.read(org)).credits, 6)
  assert.equal((await other.operator.get(`/v1/ops/orgs/${org}/account`)).body.credits, 6)
  assert.equal(await others.hold(org, 6.000000001), false)
  await accounts.charge(org, 1)
  await settleTo(org, 5)
  assert.equal(await accounts.hold(org, 5), true)
  assert.equal(await accounts.hold(org, 0.1), false)
})

test('while two gateways charge, settle and hold at once, no charge is lost and none is counted twice (SD-66)', async () => {
  const org = await orgWith(1000)
  const held: boolean[] = []
  const seen: number[] = []
  const work = async (one: typeof accounts) => {
    for (let n = 0; n < 40; n += 1)
      await Promise.all([
        one.charge(org, 1.1),
        one.settle(),
        one.hold(org, 0.3).then((isHeld) => held.push(isHeld)),
        one.read(org).then(({ credits }) => seen.push(credits)),
        one.giveBack(org, 0.4),
      ])
  }
  await Promise.all([work(accounts), work(others)])
  assert.ok(held.length === 80 && held.every(Boolean))
  assert.equal((await accounts.read(org)).credits, 1000 - 80)
  assert.ok(seen.every((credits) => credits <= 1001 && credits >= 900))
  await Promise.all([accounts.settle(), others.settle()])
  await settleTo(org, 920)
})

test('of 60 holds on two gateways exactly those are given that the charged account suffices for (SD-66)', async () => {
  const org = await orgWith(30)
  await accounts.charge(org, 10)
  const held = await Promise.all(
    Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? accounts : others).hold(org, 1)),
  )
  assert.equal(held.filter(Boolean).length, 20)
  assert.equal((await accounts.read(org)).credits, 0)
})

test('a charge whose transaction fails is no charge (SD-66)', async () => {
  const org = await orgWith(3)
  const failed = database.transaction(async (tx) => {
    await accounts.charge(org, 2, tx)
    throw new Error('never mind')
  })
  await assert.rejects(failed, { message: 'never mind' })
  await accounts.settle()
  assert.equal((await accounts.read(org)).credits, 3)
})

test('the operator replaces what was charged before as well (SD-66)', async () => {
  const org = await orgWith(10)
  await accounts.charge(org, 4)
  const wanted = { plan: 'free', subscribed: true, credits: 50 }
  assert.deepEqual((await operator.put(`/v1/ops/orgs/${org}/account`, wanted)).body, wanted)
  await accounts.settle()
  assert.deepEqual((await operator.get(`/v1/ops/orgs/${org}/account`)).body, wanted)
})

test('an account that is locked is settled in a later round, and others at once', async () => {
  const [locked, free] = [await orgWith(10), await orgWith(10)]
  for (const org of [locked, free]) await accounts.charge(org, 1)
  await database.transaction(async (tx) => {
    await accounts.hold(locked, 2, tx) // settles in this transaction
    await others.charge(locked, 3)
    await settleTo(free, 9)
    assert.equal(await storedOf(locked), 10)
    assert.equal((await accounts.read(locked)).credits, 6)
  })
  await settleTo(locked, 4)
})
