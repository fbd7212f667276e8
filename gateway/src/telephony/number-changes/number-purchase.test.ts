import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { saidWith } from '../../../testing/telephony/carrier-fake.ts'
import { refused } from '../../../testing/client.ts'
import { noLimit } from '../../../testing/deployment.ts'
import { newLine, NumberFixture, type NumberOrg } from '../../../testing/telephony/number-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'

const fixture = await NumberFixture.start({ settings: { SVC_NUMBERS_QUOTA: '2' } })
after(() => fixture[Symbol.asyncDispose]())
const { carrier, media, own, deployment } = fixture
beforeEach(() => carrier.forSale.set('US', Array.from({ length: 4 }, newLine)))

const buy = (org: NumberOrg, more: object = {}, query = '') =>
  org.admin.post(`/v1/numbers/buy${query}`, { country: 'US', agent: 'desk', ...more })
const setQuota = (org: NumberOrg, numbers: number | null) =>
  deployment.operator.put(`/v1/ops/orgs/${org.id}/quotas`, { ...noLimit, numbers })
const asks = (part: string) => carrier.requests.filter(({ path }) => path.includes(part))
const purchases = () => carrier.writes.filter((write) => write.endsWith('/IncomingPhoneNumbers.json'))

test('a number is bought on the platform’s own account, hooked as an import and routed as managed (N-024, N-027, N-148, N-149, N-205, N-208, N-209, ND-33, ND-35)', async () => {
  const org = await fixture.newOrg()
  const [number] = carrier.forSale.get('US') ?? []
  const { route, steps, dry_run } = done(await buy(org, { country: 'us' }))
  assert.deepEqual([route.number, route.managed, route.channel, dry_run], [number, true, 'phone', false])
  assert.deepEqual(steps, [
    'carrier trunk sip:voice.example:5060;transport=udp: done',
    `carrier number ${number}: done`,
    `inbound trunk ${org.id}/sandbox/apicarrier: done`,
    `rule ${org.id}/sandbox: done`,
    `route ${number} to desk: done`,
  ])
  assert.equal(own.numbers.at(-1)?.phone_number, number)
  assert.equal(own.numbers.at(-1)?.trunk_sid, own.trunks[0]?.sid)
  assert.deepEqual(org.trunk('sandbox', 'apicarrier')?.numbers, [number])
  const [row] = await org.list()
  assert.deepEqual([row.origin, row.route.managed, row.account, row.via], ['bought', true, null, null])
  const app = await org.holdingApp()
  assert.equal((await org.list())[0].rings, 'ok')
  await app.close()
  const again = await org.imported({ number })
  assert.ok(
    again.steps.every((step: string) => step.endsWith(': stands')),
    String(again.steps),
  )
  assert.equal(done(await deployment.operator.get(`/v1/ops/orgs/${org.id}`)).holding.numbers, 1)
})

test('a dry run names the number it would buy, and buys nothing (N-150, N-151, T-41)', async () => {
  const org = await fixture.newOrg()
  const [number] = carrier.forSale.get('US') ?? []
  const written = carrier.writes.length
  const { route, steps, dry_run } = done(await buy(org, {}, '?dry_run=true'))
  assert.deepEqual([route.number, route.managed, dry_run], [number, true, true])
  assert.ok(steps.includes(`carrier number ${number}: to do`))
  assert.equal(carrier.writes.length, written)
  assert.deepEqual(await org.list(), [])
  done(await buy(org))
  done(await buy(org))
})

test('country and area code are of their shape, and sent as they are written (N-206, N-207, N-517, T-47, ND-33)', async () => {
  const org = await fixture.newOrg()
  const asked = carrier.requests.length
  for (const country of ['USA', '1', '', 'U1'])
    refused(await buy(org, { country }), 422, 'country: must be two letters')
  for (const area_code of ['21a', '', '1234567', '+1'])
    refused(await buy(org, { area_code }), 422, 'area_code: must be 1 to 6 digits')
  refused(await buy(org, { area_code: 212 }), 422, 'area_code: must be a string')
  refused(await buy(org, { channel: 'msgapp' }), 400, 'channel: only phone numbers are for sale')
  assert.equal(carrier.requests.length, asked)
  carrier.forSale.set('GB', ['+440212555000'])
  const { route } = done(await buy(org, { country: 'gb', area_code: '0212' }, '?dry_run=1'))
  assert.equal(route.number, '+440212555000')
  assert.equal(asks('/AvailablePhoneNumbers/GB/').at(-1)?.query['AreaCode'], '0212')
})

test('nothing for sale is 404, and the slot is free again (N-214, N-514, ND-33)', async () => {
  const org = await fixture.newOrg()
  await setQuota(org, 1)
  refused(await buy(org, { country: 'FR' }), 404, 'the carrier has no number for sale in FR')
  refused(
    await buy(org, { area_code: '999' }),
    404,
    'the carrier has no number for sale in US with the area code 999',
  )
  done(await buy(org))
})

test('a purchase that the carrier refuses is 502, and the slot is free again (N-204, ND-33)', async () => {
  const org = await fixture.newOrg()
  await setQuota(org, 1)
  carrier.fault = ({ method }) => (method === 'POST' ? { status: 400, message: 'No money left' } : undefined)
  refused(await buy(org), 502, `the carrier says: ${saidWith('No money left')}`)
  carrier.fault = () => undefined
  assert.deepEqual(await org.list(), [])
  done(await buy(org))
})

test('the quota of an environment caps what is managed, before the carrier is asked (N-210, N-211, N-212, N-213, N-518, ND-34, ND-43)', async () => {
  const org = await fixture.newOrg()
  const { slug } = org.org
  for (let count = 0; count < 3; count += 1) await org.imported({ number: newLine(), hooked: true })
  done(await buy(org))
  done(await buy(org))
  const asked = carrier.requests.length
  const sentence = (count: number, limit: number) =>
    `org ${slug} has used ${count} of its ${limit} numbers in sandbox: credits.exhausted`
  refused(await buy(org), 429, sentence(2, 2))
  refused(await buy(org, {}, '?dry_run=true'), 429, sentence(2, 2))
  await setQuota(org, 0)
  refused(await buy(org), 429, sentence(2, 0))
  assert.equal(carrier.requests.length, asked)
  await setQuota(org, null)
  const live = org.admin.in('production')
  const { route } = done(await live.post('/v1/numbers/buy', { country: 'US', agent: 'desk' }))
  refused(await live.put(`/v1/numbers/${route.number}/env`, { env: 'sandbox' }), 429, sentence(2, 2))
  const bought = (await org.list()).find(({ origin }: { origin: string }) => origin === 'bought')
  done(await org.admin.delete(`/v1/numbers/${bought.route.number}`))
  done(await live.put(`/v1/numbers/${route.number}/env`, { env: 'sandbox' }))
  assert.ok(own.numbers.some(({ phone_number }) => phone_number === bought.route.number))
})

test('of two that buy the last one at the same time, on two gateways, one gets it (T-46, N-213, ND-33)', async () => {
  const second = await deployment.another()
  const org = await fixture.newOrg()
  await setQuota(org, 1)
  for (let count = 0; count < 5; count += 1) await org.imported({ number: newLine(), hooked: true })
  const there = second.anonymous.as((await org.org.person('admin')).key)
  const [searched, bought] = [asks('/AvailablePhoneNumbers/').length, purchases().length]
  const answers = await Promise.all([
    buy(org),
    there.post('/v1/numbers/buy', { country: 'US', agent: 'desk' }),
    buy(org),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 429, 429],
  )
  assert.deepEqual([asks('/AvailablePhoneNumbers/').length - searched, purchases().length - bought], [1, 1])
})

test('two orgs that buy at the same time share one trunk of the platform’s account (N-208)', async () => {
  const orgs = [await fixture.newOrg(), await fixture.newOrg(), await fixture.newOrg()]
  const answers = await Promise.all(orgs.map((org) => buy(org)))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
  assert.equal(own.trunks.length, 1)
})

test('a number that is bought but cannot be hooked is routed all the same, and an import finishes it (N-209, ND-33)', async () => {
  const org = await fixture.newOrg()
  const [number] = carrier.forSale.get('US') ?? []
  carrier.fault = ({ path, method }) =>
    method === 'POST' && path.endsWith('/PhoneNumbers')
      ? { status: 500, message: 'Trunks are down' }
      : undefined
  refused(
    await buy(org),
    502,
    `${number} is bought but does not ring yet: the carrier says: ${saidWith('Trunks are down')}; POST /v1/numbers finishes it`,
  )
  carrier.fault = () => undefined
  const [row] = await org.list()
  assert.deepEqual([row.route.number, row.origin, row.route.managed], [number, 'bought', true])
  const { steps, route } = await org.imported({ number })
  assert.equal(route.managed, true)
  assert.deepEqual(steps.slice(0, 2), [
    'carrier trunk sip:voice.example:5060;transport=udp: stands',
    `carrier number ${number}: done`,
  ])
  assert.equal(steps.at(-1), `route ${number} to desk: stands`)
  assert.deepEqual(org.trunk('sandbox', 'apicarrier')?.numbers, [number])
  media.sandbox.refuse('UpdateSIPInboundTrunk', 'internal', 'no room')
  const next = carrier.forSale.get('US')?.[0]
  assert.match((await buy(org)).body.detail, new RegExp(`^\\${next} is bought but does not ring yet: `))
  assert.equal((await org.list()).length, 2)
})

test('a purchase that broke off is taken up by the next one, and nothing is paid for twice (N-180, ND-33)', async () => {
  const org = await fixture.newOrg()
  const [number] = carrier.forSale.get('US') ?? []
  const bought = purchases().length
  carrier.dieAfter(1) // the number is sold, and the answer is lost
  refused(await buy(org), 502, 'the carrier did not answer')
  carrier.revive()
  assert.deepEqual(await org.list(), [])
  const { route, steps } = done(await buy(org))
  assert.equal(route.number, number)
  assert.equal(steps.at(-1), `route ${number} to desk: done`)
  assert.equal(purchases().length - bought, 1)

  carrier.dieAfter(1)
  assert.equal((await buy(org, { agent: 'sales' })).status, 502)
  carrier.revive()
  await setQuota(org, 3)
  done(await buy(org))
  const rows = (await org.list()).map(({ route: { agent } }: { route: { agent: string } }) => agent)
  assert.deepEqual(rows, ['desk', 'sales', 'desk'])

  carrier.dieAfter(0) // nothing is sold
  assert.equal((await buy(org)).status, 429)
  await setQuota(org, 4)
  assert.equal((await buy(org)).status, 502)
  carrier.revive()
  carrier.forSale.set('US', [newLine()])
  done(await buy(org))
  assert.equal((await org.list()).length, 4)
})

test('a bought number stays managed and counted, whatever it is routed to (N-024, N-211, ND-25)', async () => {
  const org = await fixture.newOrg()
  await setQuota(org, 1)
  const { number } = done(await buy(org)).route
  const { phone_number_id, access_token } = fixture.messaging.addNumber(number)
  done(await org.admin.put('/v1/carrier', { phone_number_id, access_token }))
  const { route } = await org.imported({ number, channel: 'msgapp' })
  assert.deepEqual([route.channel, route.managed], ['msgapp', true])
  assert.equal((await org.list())[0].route.managed, true)
  assert.equal(org.trunk('sandbox', 'apicarrier'), undefined)
  assert.equal((await buy(org)).status, 429)
})

test('a number that another org routes is not bought (N-197, N-515)', async () => {
  const [org, other] = [await fixture.newOrg(), await fixture.newOrg()]
  const [number] = carrier.forSale.get('US') ?? []
  await other.imported({ number, hooked: true })
  const written = carrier.writes.length
  for (const query of ['', '?dry_run=true'])
    refused(
      await buy(org, {}, query),
      409,
      `${number} is routed by another org on this platform: that org must release it first`,
    )
  assert.equal(carrier.writes.length, written)
})

test('without an account of the platform’s own, or a name, nothing is sold (N-203, N-215, N-521, ND-27, ND-33)', async () => {
  const nameless = await deployment.another({ SVC_DOMAIN: '', SVC_SIP_DOMAIN: 'live.example' })
  const poor = await deployment.another({
    SVC_CARRIER_ACCOUNT_SID: '',
    SVC_CARRIER_USER: '',
    SVC_CARRIER_SECRET: '',
  })
  const org = await fixture.newOrg()
  const { key } = await org.org.person('admin')
  const body = { country: 'US', agent: 'desk' }
  const noAccount = 'this platform has no carrier account of its own: set SVC_CARRIER_ACCOUNT_SID'
  for (const query of ['', '?dry_run=true'])
    refused(await poor.anonymous.as(key).post(`/v1/numbers/buy${query}`, body), 503, noAccount)
  const noName =
    'carriers have no name to send calls of sandbox to: set SVC_DOMAIN, or SVC_SANDBOX_SIP_DOMAIN'
  const there = nameless.anonymous.as(key)
  refused(await there.post('/v1/numbers/buy', body), 503, noName)
  refused(await there.post('/v1/numbers', { number: newLine(), agent: 'desk', hooked: true }), 503, noName)
  refused(await there.post('/v1/numbers?dry_run=1', { number: newLine(), agent: 'desk' }), 503, noName)
  const number = newLine()
  const live = there.in('production')
  done(await live.post('/v1/numbers', { number, agent: 'desk', hooked: true }))
  refused(await live.put(`/v1/numbers/${number}/env`, { env: 'sandbox' }), 503, noName)
  done(await there.get('/v1/numbers'))
  const written = fixture.messaging.addNumber(newLine())
  const { phone_number_id, access_token } = written
  done(await org.admin.put('/v1/carrier', { phone_number_id, access_token }))
  const msgapp = {
    number: written.display_phone_number.replace(/[ -]/g, ''),
    agent: 'desk',
    channel: 'msgapp',
  }
  done(await there.post('/v1/numbers', msgapp))
  done(await there.get(`/v1/numbers/${msgapp.number}/path`))
})
