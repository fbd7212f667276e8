import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { fleetKey } from '../../../testing/deployment.ts'
import { newLine, NumberFixture, type NumberOrg } from '../../../testing/telephony/number-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'

const fixture = await NumberFixture.start({ settings: { SVC_SANDBOX_SIP_DOMAIN: 'sandbox.example' } })
after(() => fixture[Symbol.asyncDispose]())
const { carrier, deployment } = fixture
const { operator } = deployment

const call = ({ deployment: { anonymous } }: NumberFixture, number: string) =>
  anonymous.as(fleetKey).post('/v1/worker/calls', { number, from: '+14155559999' })
const rings = async (org: NumberOrg, number: string) => (await org.path(number)).rings
const fence = async (org: NumberOrg, number: string) => (await org.path(number)).steps[1]

test('a hooked number is admitted from the first carrier of the catalogue, and nothing outside is touched (N-029, N-036, N-171, N-172, N-173, N-174, N-175, N-176, N-316, ND-27)', async () => {
  const org = await fixture.newOrg()
  const [number, live] = [newLine(), newLine()]
  const asked = carrier.requests.length
  const { route, steps } = await org.imported({ number, hooked: true, account: 'ignored' })
  assert.deepEqual(
    [route.label, steps],
    [
      number,
      [
        `inbound trunk ${org.id}/sandbox/apicarrier, for calls sent to sip:${number}@sandbox.example:5060: done`,
        `rule ${org.id}/sandbox: done`,
        `route ${number} to desk: done`,
      ],
    ],
  )
  assert.deepEqual(
    (await org.imported({ number: live, hooked: true }, 'production')).steps[0],
    `inbound trunk ${org.id}/production/apicarrier, for calls sent to sip:${live}@voice.example:5060: done`,
  )
  assert.deepEqual(org.trunk('sandbox', 'apicarrier')?.numbers, [number])
  assert.equal(carrier.requests.length, asked)
  const [row] = await org.list()
  assert.deepEqual([row.origin, row.via, row.account], ['hooked', 'apicarrier', null])
  const app = await org.holdingApp()
  assert.equal((await call(fixture, number)).status, 201)
  await app.close()
})

test('a hooked number waits for its first call, and rings with it (N-032, N-033, N-034, N-065, N-068, N-069, N-535, T-51)', async () => {
  const org = await fixture.newOrg()
  const number = newLine()
  await org.imported({ number, hooked: true })
  assert.equal(await rings(org, number), 'broken')
  const app = await org.holdingApp()
  assert.equal(await rings(org, number), 'waiting')
  const before = Math.floor(deployment.clock.now().getTime() / 1000)
  done(await call(fixture, number))
  const { last_call_at, rings: now } = await org.path(number)
  assert.ok(last_call_at >= before && last_call_at <= before + 20)
  assert.equal(now, 'ok')
  for (let calls = 0; calls < 9; calls += 1) {
    deployment.clock.forward(3000)
    done(await call(fixture, number))
  }
  assert.equal((await org.path(number)).last_call_at, last_call_at)
  deployment.clock.forward(40_000)
  done(await call(fixture, number))
  assert.ok((await org.list())[0].last_call_at >= last_call_at + 60)
  await app.close()
  await until('no app holds it', async () => (await org.list())[0].rings === 'broken')
})

test('a number hooked from the org’s own networks waits until the operator approves one, and has a trunk of its own (N-057, N-059, N-061, N-177, N-178, N-184, N-187, ND-31, T-36)', async () => {
  const org = await fixture.newOrg()
  const [first, second] = [newLine(), newLine()]
  const networks = ['8.8.8.0/24', '9.9.9.9']
  const { steps } = await org.imported({ number: first, hooked: true, networks })
  assert.deepEqual(steps, [
    'network 8.8.8.0/24: waiting',
    'network 9.9.9.9: waiting',
    `inbound trunk ${org.id}/sandbox/own/${first}, for calls sent to sip:${first}@sandbox.example:5060: waiting`,
    `rule ${org.id}/sandbox: waiting`,
    `route ${first} to desk: done`,
  ])
  assert.deepEqual([org.trunk('sandbox', `own/${first}`), org.rule('sandbox')], [undefined, undefined])
  assert.deepEqual(await fence(org, first), {
    step: 'fence',
    state: 'waiting',
    says: 'no network it comes from is approved: 8.8.8.0/24 is waiting · 9.9.9.9 is waiting',
    fix: 'ask the operator to approve a network, or send others',
  })
  const asked = done(await operator.get('/v1/ops/networks')).networks.filter(
    ({ org: of }: { org: string }) => of === org.id,
  )
  assert.deepEqual(
    asked.map(({ network, number, account }: Record<string, string>) => [network, number, account]),
    networks.map((network) => [network, first, null]),
  )
  done(await operator.post(`/v1/ops/networks/${asked[0].id}/approve`))
  assert.deepEqual(org.trunk('sandbox', `own/${first}`)?.allowedAddresses, ['8.8.8.0/24'])
  assert.deepEqual(org.trunk('sandbox', `own/${first}`)?.numbers, [first])
  assert.equal((await fence(org, first)).state, 'ok')
  assert.equal((await org.path(first)).steps[2].state, 'ok')
  const again = await org.imported({ number: second, hooked: true, networks })
  assert.equal(again.steps[0], 'network 9.9.9.9: waiting')
  assert.deepEqual(org.trunk('sandbox', `own/${second}`)?.numbers, [second])
  assert.deepEqual(org.rule('sandbox')?.trunkIds.length, 2)
  done(await operator.post(`/v1/ops/networks/${asked[0].id}/refuse`))
  assert.equal(org.trunk('sandbox', `own/${first}`), undefined)
  assert.equal(org.rule('sandbox'), undefined)
  assert.equal((await org.path(first)).steps[2].state, 'waiting')
})

test('numbers of a SIP peer share its trunk once a network is approved, and nothing outside is touched (N-061, N-066, N-169, N-186, ND-31)', async () => {
  const org = await fixture.newOrg()
  const [first, second, other] = [newLine(), newLine(), newLine()]
  await org.peer('pbx', '8.8.8.8', '8.8.4.4')
  await org.peer('backup', '9.9.9.9')
  const asked = carrier.requests.length
  const { steps } = await org.imported({ number: first, account: 'pbx' })
  assert.deepEqual(steps, [
    'network 8.8.8.8: waiting',
    'network 8.8.4.4: waiting',
    `inbound trunk ${org.id}/sandbox/sip/pbx: waiting`,
    `rule ${org.id}/sandbox: waiting`,
    `route ${first} to desk: done`,
  ])
  const app = await org.holdingApp()
  assert.equal(await rings(org, first), 'waiting')
  assert.equal(org.trunk('sandbox', 'sip/pbx'), undefined)
  await org.approveNetworks()
  const trunk = org.trunk('sandbox', 'sip/pbx')
  assert.deepEqual(
    [trunk?.numbers, trunk?.allowedAddresses.toSorted(), trunk?.authUsername, trunk?.authPassword],
    [[first], ['8.8.4.4', '8.8.8.8'], 'pbx', 'word of pbx'],
  )
  await org.imported({ number: second, account: 'pbx' })
  await org.imported({ number: other, account: 'backup' })
  assert.deepEqual(org.trunk('sandbox', 'sip/pbx')?.numbers, [first, second])
  assert.deepEqual(org.trunk('sandbox', 'sip/backup')?.numbers, [other])
  assert.equal(org.rule('sandbox')?.trunkIds.length, 2)
  done(await call(fixture, first))
  assert.equal(await rings(org, first), 'ok')
  assert.equal(carrier.requests.length, asked)
  await app.close()
})

test('unless the setting is false a hooked number waits for the operator: it is on no trunk and refused when it opens until then (N-067, N-071, N-072, N-315, N-317, N-318, ND-32, ND-42, T-53)', async () => {
  await using strict = await NumberFixture.start({ settings: { SVC_APPROVE_HOOKED: '' } })
  const { operator: ops } = strict.deployment
  const org = await strict.newOrg()
  const [number, imported] = [newLine(), newLine()]
  await org.account(imported)
  await org.imported({ number: imported })
  const { steps } = await org.imported({ number, hooked: true })
  assert.deepEqual(steps.slice(0, 2), [
    `inbound trunk ${org.id}/sandbox/apicarrier, for calls sent to sip:${number}@voice.example:5060: waiting`,
    `rule ${org.id}/sandbox: waiting`,
  ])
  assert.deepEqual(org.trunk('sandbox', 'apicarrier')?.numbers, [imported])
  const app = await org.holdingApp()
  assert.equal(await rings(org, number), 'waiting')
  assert.deepEqual(await fence(org, number), {
    step: 'fence',
    state: 'waiting',
    says: 'it waits for the operator to approve it',
    fix: 'ask the operator to approve the number',
  })
  refused(await call(strict, number), 403, `${number} rings once the operator has approved it`)

  const { numbers } = done(await ops.get('/v1/ops/numbers'))
  const { asked_at, ...waiting } = numbers[0]
  assert.ok(Math.abs(asked_at - Date.now() / 1000) < 60)
  assert.deepEqual(
    [numbers.length, waiting],
    [1, { org: org.id, number, agent: 'desk', env: 'sandbox', via: 'apicarrier' }],
  )
  assert.equal((await org.admin.get('/v1/ops/numbers')).status, 403)
  assert.equal((await org.admin.post(`/v1/ops/numbers/${number}/approve`)).status, 403)
  for (const unknown of [imported, newLine()])
    refused(await ops.post(`/v1/ops/numbers/${unknown}/approve`), 404, `there is no hooked number ${unknown}`)
  refused(await ops.post('/v1/ops/numbers/123/approve'), 404, 'there is no number 123')

  const approved = done(await ops.post(`/v1/ops/numbers/%2B${number.slice(1)}/approve`))
  assert.deepEqual(Object.keys(approved), ['org', 'number', 'env', 'approved_at'])
  assert.deepEqual(org.trunk('sandbox', 'apicarrier')?.numbers, [imported, number])
  assert.deepEqual(done(await ops.get('/v1/ops/numbers')), { numbers: [] })
  assert.deepEqual(done(await ops.post(`/v1/ops/numbers/${number}/approve`)), approved)
  done(await call(strict, number))
  assert.equal(await rings(org, number), 'ok')

  // Kept while the org has it, in either environment; deleted when it is released.
  const again = await org.imported({ number, hooked: true, agent: 'sales' })
  assert.equal(again.steps.at(-2), `rule ${org.id}/sandbox: stands`)
  done(await org.admin.put(`/v1/numbers/${number}/env`, { env: 'production' }))
  assert.deepEqual(org.trunk('production', 'apicarrier')?.numbers, [number])
  done(await org.admin.in('production').delete(`/v1/numbers/${number}`))
  const fresh = await org.imported({ number, hooked: true })
  assert.equal(fresh.steps.at(-2), `rule ${org.id}/sandbox: waiting`)
  await app.close()
})

test('`0` and `false` approve by themselves, also numbers that waited before (N-316, ND-09, ND-32, T-53)', async () => {
  await using strict = await NumberFixture.start({ settings: { SVC_APPROVE_HOOKED: 'yes' } })
  const org = await strict.newOrg()
  const waits = newLine()
  await org.imported({ number: waits, hooked: true })
  for (const word of ['0', 'false']) {
    const lax = await strict.deployment.another({ SVC_APPROVE_HOOKED: word })
    const admin = lax.anonymous.as((await org.org.person('admin')).key)
    const number = newLine()
    const { steps } = done(await admin.post('/v1/numbers', { number, agent: 'desk', hooked: true }))
    assert.equal(steps.at(-2), `rule ${org.id}/sandbox: done`)
    assert.deepEqual(done(await lax.operator.get('/v1/ops/numbers')), { numbers: [] })
    assert.equal((await lax.operator.post(`/v1/ops/numbers/${number}/approve`)).status, 200)
  }
  assert.ok(org.trunk('sandbox', 'apicarrier')?.numbers.includes(waits))
})

test('the operator routes a number into any org, and never has to approve it (N-030, N-031, ND-39)', async () => {
  const [org, other] = [await fixture.newOrg(), await fixture.newOrg()]
  const number = newLine()
  const type = (more: object = {}) =>
    operator.post('/v1/ops/numbers', { org: org.org.slug, number, agent: 'desk', env: 'production', ...more })
  const { route, steps, dry_run } = done(await type())
  assert.deepEqual([route.org, route.env, route.managed, dry_run], [org.id, 'production', false, false])
  assert.deepEqual(steps, [
    `inbound trunk ${org.id}/production/apicarrier: done`,
    `rule ${org.id}/production: done`,
    `route ${number} to desk: done`,
  ])
  const [row] = await org.list('production')
  assert.deepEqual([row.origin, row.via, row.account], ['typed', null, null])
  const held = `${number} is routed by another org on this platform: that org must release it first`
  refused(await type({ org: other.id }), 409, held)
  refused(await type({ org: 'nobody' }), 404, 'there is no org nobody')
  refused(await type({ env: 'staging' }), 422, 'env: must be sandbox or production')
  refused(await type({ via: 'nobody' }), 400, 'via: must be a carrier of the catalogue: apicarrier')
  refused(
    await type({ env: 'sandbox' }),
    409,
    `${number} is in production: move it with PUT /v1/numbers/${number}/env`,
  )
  assert.equal((await org.admin.post('/v1/ops/numbers', {})).status, 403)
  const written = done(await type({ number: newLine(), channel: 'msgapp' }))
  assert.deepEqual(
    [written.route.channel, written.steps],
    ['msgapp', [`route ${written.route.number} to desk: done`]],
  )
})

test('a messaging number is asked of the messaging platform, and its route is all there is (N-022, N-144, N-359, N-360, ND-23, ND-27)', async () => {
  const org = await fixture.newOrg()
  const number = newLine()
  const kept = fixture.messaging.addNumber(number, 'Acme Desk')
  const { phone_number_id, access_token } = kept
  done(await org.admin.put('/v1/carrier', { phone_number_id, access_token }))
  const account = phone_number_id
  const { route, steps } = await org.imported({ number, channel: 'msgapp', account })
  assert.deepEqual(
    [route.channel, route.label, steps],
    ['msgapp', 'Acme Desk', [`route ${number} to desk: done`]],
  )
  const [row] = await org.list()
  assert.deepEqual([row.origin, row.account], ['imported', account])
  const app = await org.holdingApp()
  assert.equal((await org.list())[0].rings, 'ok')
  await app.close()
  const none = newLine()
  refused(
    await org.import({ number: none, channel: 'msgapp' }),
    404,
    `account ${account} has no number ${none}`,
  )
  refused(await org.import({ number: none, account }), 404, `this org holds no carrier account ${account}`)
  kept.access_token = 'another'
  refused(
    await org.import({ number, channel: 'msgapp' }),
    404,
    `the messaging platform does not open account ${account}: put its access_token again`,
  )
  fixture.messaging.fault = () => ({ status: 500, message: 'Try later' })
  refused(await org.import({ number, channel: 'msgapp' }), 502, 'the messaging platform says: Try later')
  fixture.messaging.fault = () => undefined
})
