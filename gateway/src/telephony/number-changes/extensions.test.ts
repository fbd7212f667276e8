import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Environment } from '@switchroom/contract/scopes'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { refused, type Client } from '../../../testing/client.ts'
import { fleetKey, startDeployment, type Deployment, type TestOrg } from '../../../testing/deployment.ts'
import { newLine, NumberFixture } from '../../../testing/telephony/number-fixture.ts'

const deployment = await startDeployment({ SVC_DOMAIN: 'voice.example' })
after(() => deployment[Symbol.asyncDispose]())
const elsewhere = await deployment.another()
const fleet = deployment.anonymous.as(fleetKey)

/** An org with a PBX that the operator approved, and its admin. */
async function openPbx(username = 'pbx'): Promise<{ org: TestOrg; key: string; admin: Client }> {
  const org = await deployment.newOrg()
  const { key, client: admin } = await org.person('admin', { production: true })
  done(await admin.put('/v1/carrier', { username, password: 'a word of it', addresses: ['8.8.8.0/24'] }))
  for (const { id, org: asks } of done(await deployment.operator.get('/v1/ops/networks')).networks)
    if (asks === org.id) done(await deployment.operator.post(`/v1/ops/networks/${id}/approve`))
  return { org, key, admin }
}

const bring = (client: Client, extension: string, more: object = {}) =>
  client.post('/v1/numbers', { extension, agent: 'desk', ...more })

const fencesOf = async ({ id }: TestOrg, env: Environment = 'sandbox') =>
  done(await fleet.get(`/v1/worker/fences?env=${env}`)).fences.filter(({ name }: { name: string }) =>
    name.startsWith(`${id}/`),
  )

async function holding(org: TestOrg, at: Deployment = deployment) {
  const { key } = await org.serverToken('sandbox')
  const app = await AppClient.connect(at.url, key)
  await app.register('desk')
  return app
}

const open = (number: string, client = fleet) => client.post('/v1/worker/calls', { number, from: '105' })

test('an extension of a SIP account is previewed, routed, admitted at its fence, listed, moved and released as a number is', async () => {
  const { org, admin } = await openPbx()
  const preview = done(await admin.post('/v1/numbers?dry_run=true', { extension: '201', agent: 'desk' }))
  assert.deepEqual([preview.route.number, preview.dry_run], ['201@pbx', true])
  assert.deepEqual(done(await admin.get('/v1/numbers')).numbers, [])

  const { route, steps } = done(await bring(admin, '201', { account: 'pbx' }))
  assert.deepEqual(route, {
    org: org.id,
    agent: 'desk',
    channel: 'phone',
    number: '201@pbx',
    label: '201@pbx',
    env: 'sandbox',
    managed: false,
  })
  assert.equal(steps.at(-1), 'route 201@pbx to desk: done')
  const [fence] = await fencesOf(org)
  assert.deepEqual([fence.name, fence.numbers], [`${org.id}/sandbox/sip/pbx`, [`201@pbx/${org.id}`]])

  const [entry] = done(await admin.get('/v1/numbers')).numbers
  assert.deepEqual([entry.route.number, entry.account, entry.origin], ['201@pbx', 'pbx', 'imported'])
  const path = done(await admin.get('/v1/numbers/201@pbx/path'))
  assert.equal(path.number, '201@pbx')
  assert.equal(path.steps[0].fix, 'point it at sip:201@voice.example:5060 where it comes from, and call it')
  assert.equal(path.steps[2].state, 'ok')

  done(await bring(admin, '201', { agent: 'sales' }))
  assert.equal(done(await admin.get('/v1/numbers')).numbers[0].route.agent, 'sales')
  const moved = done(await admin.put('/v1/numbers/201%40pbx/env', { env: 'production' }))
  assert.deepEqual([moved.route.number, moved.route.env], ['201@pbx', 'production'])
  assert.deepEqual([(await fencesOf(org)).length, (await fencesOf(org, 'production')).length], [0, 1])
  refused(
    await bring(admin, '201'),
    409,
    '201@pbx is in production: move it with PUT /v1/numbers/201@pbx/env',
  )
  refused(await admin.delete('/v1/numbers/201@pbx'), 404, 'this org has no number 201@pbx in sandbox')
  assert.equal((await admin.in('production').delete('/v1/numbers/201@pbx')).status, 204)
  assert.deepEqual(await fencesOf(org, 'production'), [])
  const { rows } = await deployment.sql(
    `select action, target_id as id from audit where org = $1 and action like 'number.%' order by ordinal`,
    [org.id],
  )
  assert.deepEqual(
    rows.map(({ action, id }) => [action, id]),
    ['number.routed', 'number.routed', 'number.moved', 'number.released'].map((one) => [one, '201@pbx']),
  )
})

test('what is no extension, an emergency number, one of no SIP account or of both kinds is refused in a sentence, and a number stays E.164 (N-196)', async () => {
  const { admin } = await openPbx()
  const long = '5'.repeat(9)
  const table: [object, number, string][] = [
    [{ extension: '' }, 400, 'extension: that is not one, as 1 to 8 digits'],
    [{ extension: long }, 400, `extension: ${long} is not one, as 1 to 8 digits`],
    [{ extension: '*97' }, 400, 'extension: *97 is not one, as 1 to 8 digits'],
    [{ extension: '201@pbx' }, 400, 'extension: 201@pbx is not one, as 1 to 8 digits'],
    [{ extension: '201/org_x' }, 400, 'extension: 201/org_x is not one, as 1 to 8 digits'],
    [{ extension: '٢٠١' }, 400, 'extension: ٢٠١ is not one, as 1 to 8 digits'],
    [{ extension: '911' }, 400, 'extension: 911 is an emergency number, and no agent answers those'],
    [{ extension: '9911' }, 400, 'extension: 9911 is an emergency number, and no agent answers those'],
    [{ extension: '201', number: newLine() }, 400, 'name a number or an extension, not both'],
    [
      { extension: '201', hooked: true },
      400,
      'extension: belongs to a SIP account, and is neither hooked nor a messaging number',
    ],
    [
      { extension: '201', channel: 'msgapp' },
      400,
      'extension: belongs to a SIP account, and is neither hooked nor a messaging number',
    ],
    [{ extension: '201', account: 'other' }, 404, 'this org holds no carrier account other'],
    [{ number: '201' }, 400, 'number: 201 is not in E.164, as + and 7 to 15 digits'],
    [{ number: '201@pbx' }, 400, 'number: 201@pbx is not in E.164, as + and 7 to 15 digits'],
    [{ number: '5551234' }, 400, 'number: 5551234 is not in E.164, as + and 7 to 15 digits'],
  ]
  for (const [body, status, sentence] of table)
    refused(await admin.post('/v1/numbers', { agent: 'desk', ...body }), status, sentence)
  assert.deepEqual(done(await admin.get('/v1/numbers')).numbers, [])
  for (const path of ['201', '*97@pbx', `${long}@pbx`, `201@pbx%2Forg`])
    assert.equal((await admin.get(`/v1/numbers/${path}/path`)).status, 404, path)
})

test('two orgs take the same extension of accounts with one name at the same time, on two gateways, and both have it', async () => {
  const [one, other] = [await openPbx(), await openPbx()]
  const there = elsewhere.anonymous.as(other.key)
  for (const extension of ['301', '302', '303']) {
    const answers = await Promise.all([bring(one.admin, extension), bring(there, extension)])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
  }
  for (const { org, admin } of [one, other]) {
    const { numbers } = done(await admin.get('/v1/numbers'))
    assert.deepEqual(
      numbers.map(({ route }: { route: { number: string; org: string } }) => [route.number, route.org]),
      ['301', '302', '303'].map((extension) => [`${extension}@pbx`, org.id]),
    )
  }
})

test('an org that takes one extension in both environments at the same time, on two gateways, has it in one', async () => {
  const { key, admin } = await openPbx()
  const there = elsewhere.anonymous.as(key).in('production')
  for (const extension of ['401', '402', '403']) {
    const answers = await Promise.all([bring(admin, extension), bring(there, extension)])
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    )
  }
  const { rows } = await deployment.sql(`select number from numbers where number like '40_@%'`)
  assert.equal(rows.length, 3)
})

test('a call to an extension opens at the agent of its own org, and its record names the extension and the account', async () => {
  const [one, other] = [await openPbx(), await openPbx()]
  for (const { admin } of [one, other]) done(await bring(admin, '201'))
  const apps = [await holding(one.org), await holding(other.org, elsewhere)]
  for (const { org, admin } of [one, other]) {
    const opened = done(await open(`201@pbx/${org.id}`))
    assert.deepEqual([opened.org, opened.env, opened.agent], [org.id, 'sandbox', 'desk'])
    const { sessions } = done(await admin.get('/v1/sessions'))
    const record = sessions.find(({ call }: { call: string }) => call === opened.call)
    assert.deepEqual([record.from, record.to], ['105', '201@pbx'])
    const { last_call_at } = done(await admin.get('/v1/numbers/201@pbx/path'))
    assert.ok(last_call_at > 0)
  }
  for (const app of apps) await app.close()
})

test('a worker of an org opens its own extensions alone, and no key reaches those of another org or environment', async () => {
  const [one, other] = [await openPbx(), await openPbx()]
  for (const { admin } of [one, other]) done(await bring(admin, '201'))
  const app = await holding(one.org)
  const worker = (await one.org.serverToken('sandbox', { scopes: ['app'] })).client
  assert.equal(done(await open('201@pbx', worker)).org, one.org.id)
  for (const number of [`201@pbx/${other.org.id}`, '201', '201@pbx/'])
    refused(await open(number, worker), 404, `no agent answers at ${number}: route it to one first`)
  refused(await open('201@pbx'), 404, 'no agent answers at 201@pbx: route it to one first')
  const live = (await one.org.serverToken('production', { scopes: ['app', 'numbers'] })).client
  refused(await open('201@pbx', live), 404, /no agent answers/)
  refused(await live.get('/v1/numbers/201@pbx/path'), 404, 'this org has no number 201@pbx in production')
  const reader = (await one.org.serverToken('sandbox', { scopes: ['calls'] })).client
  assert.equal((await bring(reader, '202')).status, 403)
  assert.equal((await reader.delete('/v1/numbers/201@pbx')).status, 403)
  await app.close()
})

test('the database takes no extension whose key names another account or org', async () => {
  const { org } = await openPbx()
  const insert = (number: string, account: string | null, origin = 'imported') =>
    deployment.sql(
      `insert into numbers (number, org, env, agent, origin, account, created_at)
       values ($1, $2, 'sandbox', 'desk', $3, $4, now())`,
      [number, org.id, origin, account],
    )
  const wrong: [string, string | null, string?][] = [
    ['201@pbx/org_other', 'pbx'],
    [`201@pbx/${org.id}`, 'other'],
    [`201@pbx/${org.id}`, null],
    [`201@pbx/${org.id}`, 'pbx', 'hooked'],
    [`+201@pbx/${org.id}`, 'pbx'],
  ]
  for (const one of wrong) await assert.rejects(insert(...one), /numbers_are_keyed/)
  await insert(`201@pbx/${org.id}`, 'pbx')
})

test('an environment that runs on LiveKit refuses extensions, by import and by move, and admits the numbers beside them', async () => {
  await using fixture = await NumberFixture.start()
  const org = await fixture.newOrg()
  await org.peer('pbx', '8.8.8.0/24')
  await org.approveNetworks()
  const sentence =
    'extensions ring on the embedded media plane alone, and sandbox runs on LiveKit: import a number instead'
  refused(await org.import({ extension: '201' }), 409, sentence)
  // One from before the deployment moved to LiveKit.
  await fixture.deployment.sql(
    `insert into numbers (number, org, env, agent, origin, account, created_at)
     values ('201@pbx/' || $1, $1, 'sandbox', 'desk', 'imported', 'pbx', now())`,
    [org.id],
  )
  const number = newLine()
  done(await org.import({ number, account: 'pbx' }))
  assert.deepEqual(org.trunk('sandbox', 'sip/pbx')?.numbers, [number])
  const { client } = await org.org.person('admin', { production: true })
  refused(
    await client.put('/v1/numbers/201@pbx/env', { env: 'production' }),
    409,
    sentence.replace('sandbox', 'production'),
  )
})
