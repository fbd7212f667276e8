import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { newNumber } from '../../../testing/calls/spoken-calls.ts'
import { PlacingOrg } from '../../../testing/telephony/placing-fixture.ts'

const deployment = await startDeployment({ SVC_DOMAIN: 'voice.example' })
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()

/** An org whose number lives in `peer`, with two more accounts. */
async function newOrg() {
  const placingOrg = await PlacingOrg.open(deployment)
  for (const account of ['backup', 'third']) await placingOrg.account(account, `sip.${account}.example`)
  const { client, from } = placingOrg
  const put = (accounts: unknown, number = from, by = client) =>
    by.put(`/v1/numbers/${number}/fallbacks`, { accounts })
  const shown = async (by = client) =>
    done(await by.get('/v1/numbers')).numbers.find(
      ({ route }: { route: { number: string } }) => route.number === from,
    )?.fallback_accounts
  return { placingOrg, client, from, put, shown }
}

test('a number names its fallback accounts in order, others take their place, and none takes them away', async () => {
  const { from, put, shown } = await newOrg()
  assert.deepEqual(await shown(), [])
  assert.deepEqual(done(await put(['third', 'backup'])), {
    number: from,
    account: 'peer',
    fallback_accounts: ['third', 'backup'],
  })
  assert.deepEqual(await shown(), ['third', 'backup'])
  done(await put(['backup']))
  assert.deepEqual(await shown(), ['backup'])
  done(await put([]))
  assert.deepEqual(await shown(), [])
})

test('accounts that cannot carry a call of the number are refused with a sentence', async () => {
  const { placingOrg, client, from, put, shown } = await newOrg()
  refused(await put(['backup', 'backup']), 400, 'accounts: names backup twice: name each account once')
  refused(await put(['a', 'b', 'c', 'd', 'e']), 400, 'accounts: must be 4 at most (got 5)')
  refused(
    await put(['peer']),
    400,
    `accounts: peer is the account of ${from} and is tried first: leave it out`,
  )
  refused(await put(['nowhere']), 404, 'this org holds no carrier account nowhere')
  refused(await put(['x'.repeat(500)]), 404, `this org holds no carrier account ${'x'.repeat(100)}`)
  done(
    await client.put('/v1/carrier', { kind: 'sip', username: 'mute', password: 'p', addresses: ['8.8.8.8'] }),
  )
  refused(await put(['mute']), 409, 'mute cannot dial yet: see GET /v1/carrier/outbound')
  const hooked = newNumber()
  await placingOrg.number(hooked, null, 'hooked')
  refused(
    await put(['backup'], hooked),
    409,
    `${hooked} lives in no carrier account of the org, so that nothing is dialled from it`,
  )
  refused(await put(['backup'], '+34910999999'), 404, 'this org has no number +34910999999 in production')
  assert.equal((await put('backup')).status, 422)
  assert.deepEqual(await shown(), [])
})

test('an account of another org is none, and a number is changed by its own org and by who works on its agent', async () => {
  const { put, shown } = await newOrg()
  const stranger = await newOrg()
  await stranger.placingOrg.account('theirs', 'sip.theirs.example')
  refused(await put(['theirs']), 404, 'this org holds no carrier account theirs')
  const { placingOrg, from } = stranger
  refused(await put([], from), 404, `this org has no number ${from} in production`)
  const narrowed = (await placingOrg.org.person('manager', { agents: ['sales'], production: true })).client
  refused(
    await stranger.put(['backup'], from, narrowed.in('production')),
    403,
    'this key works on sales alone',
  )
  assert.deepEqual([await shown(), await stranger.shown()], [[], []])
})

test('an account that is forgotten is no fallback any more, also if another gets its id', async () => {
  const { placingOrg, client, put, shown } = await newOrg()
  done(await put(['backup', 'third']))
  assert.equal((await client.delete('/v1/carrier?account=backup')).status, 204)
  assert.deepEqual(await shown(), ['third'])
  await placingOrg.account('backup', 'sip.another.example')
  assert.deepEqual(await shown(), ['third'])
})

test('an account that is forgotten while it is named, on two gateways, is either refused or taken off', async () => {
  const { placingOrg, client, put, shown } = await newOrg()
  const there = other.anonymous.as(placingOrg.key)
  for (let round = 0; round < 6; round += 1) {
    const account = `late-${round}`
    await placingOrg.account(account, 'sip.late.example')
    const [named, forgotten] = await Promise.all([
      put([account]),
      there.delete(`/v1/carrier?account=${account}`),
    ])
    assert.equal(forgotten.status, 204)
    assert.ok(named.status === 200 || named.status === 404, named.text)
    assert.deepEqual(await shown(), [])
  }
  assert.equal((await client.get('/v1/carriers')).body.carriers.length, 3)
})

test('a number keeps its fallbacks in the other environment, and loses the one that it moves into', async () => {
  const { placingOrg, put, shown } = await newOrg()
  done(await put(['backup', 'third']))
  const admin = (await placingOrg.org.person('admin')).client
  done(await admin.in('production').put(`/v1/numbers/${placingOrg.from}/env`, { env: 'sandbox' }))
  assert.deepEqual(await shown(admin.in('sandbox')), ['backup', 'third'])
  const again = { number: placingOrg.from, agent: 'desk', account: 'backup' }
  done(await admin.in('sandbox').post('/v1/numbers', again))
  assert.deepEqual(await shown(admin.in('sandbox')), ['third'])
})
