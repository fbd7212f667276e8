import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newLine, NumberFixture } from '@switchroom/gateway/testing/telephony/number-fixture'
import { GatewayRefusal, NumbersClient, SwitchroomError } from '@switchroom/sdk'

const fixture = await NumberFixture.start()
after(() => fixture[Symbol.asyncDispose]())
const { carrier, own, deployment } = fixture
const { url } = deployment
const org = await fixture.newOrg()
const { key } = await org.org.person('admin')
const numbers = new NumbersClient({ url, key, env: 'sandbox' })

test('the SDK searches, chooses, buys with address and bundle, lists and releases numbers at the carrier', async () => {
  const lines = [newLine(), newLine(), newLine()]
  const [first = '', chosen = ''] = lines
  carrier.forSale.set('GB', [...lines])
  for (const line of lines) carrier.terms.set(line, { type: 'toll-free', address: 'any' })
  carrier.regulated.add('GB toll-free')
  const { sid: address } = own.addAddress('FR', 'Paris')
  const { sid: bundle } = own.addBundle('GB', 'toll-free')
  const kind = { country: 'GB', type: 'toll-free' } as const

  const found = await numbers.search({ ...kind, limit: 2 })
  assert.deepEqual(
    found.map(({ number, needs_address }) => [number, needs_address]),
    [
      [first, 'any'],
      [chosen, 'any'],
    ],
  )
  assert.deepEqual(await numbers.search({ ...kind, address: 'none' }), [])
  const needed = await numbers.requirements(kind)
  assert.deepEqual(
    [needed.regulated, needed.addresses[0]?.address, needed.bundles[0]?.bundle],
    [true, address, bundle],
  )
  const wanted = { ...kind, number: chosen, address, bundle, agent: 'desk' }
  assert.equal((await numbers.buy({ ...wanted, dryRun: true })).dry_run, true)
  assert.deepEqual([await numbers.list(), own.numbers], [[], []])
  const { route } = await numbers.buy(wanted)
  assert.deepEqual([route.number, route.managed], [chosen, true])
  assert.deepEqual(
    (await numbers.list()).map(({ origin }) => origin),
    ['bought'],
  )
  assert.deepEqual([own.numbers[0]?.address_sid, own.numbers[0]?.bundle_sid], [address, bundle])

  await numbers.release(chosen, { atCarrier: true })
  assert.deepEqual([await numbers.list(), own.numbers], [[], []])
  const kept = (await numbers.buy({ ...kind, address, bundle, agent: 'desk' })).route.number
  await numbers.release(kept)
  assert.deepEqual([await numbers.list(), own.numbers.map(({ phone_number }) => phone_number)], [[], [kept]])
})

test('the SDK throws the gateway’s own sentence with its status, and says if the gateway cannot be reached', async () => {
  const refusal = await numbers.release('+14155550000', { atCarrier: true }).catch((error: unknown) => error)
  assert.ok(refusal instanceof GatewayRefusal)
  assert.deepEqual([refusal.status, refusal.message], [404, 'this org has no number +14155550000 in sandbox'])
  const nowhere = new NumbersClient({ url: 'http://127.0.0.1:1', key })
  const failure = await nowhere.list().catch((error: unknown) => error)
  assert.ok(failure instanceof SwitchroomError)
  assert.deepEqual(
    [failure.code, failure.message],
    [
      'NETWORK_ERROR',
      'the gateway at http://127.0.0.1:1 cannot be reached: check its address and that it is running',
    ],
  )
})
