import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Placement } from '@switchroom/contract/media-plane'
import { refused, type Client } from '../../../testing/client.ts'
import { fleetKey, startDeployment } from '../../../testing/deployment.ts'
import { PlacingOrg } from '../../../testing/telephony/placing-fixture.ts'
import { newNumber, SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment({ SVC_DOMAIN: 'voice.example' })
after(() => deployment[Symbol.asyncDispose]())
const elsewhere = await deployment.another()
const fleet = elsewhere.anonymous.as(fleetKey).in('production')

/** An org whose agent answers 201 at its PBX, and may dial some extensions there. */
async function openPbx(more: object = {}, isApproved = true) {
  const placingOrg = await PlacingOrg.open(deployment)
  const { client, org } = placingOrg
  done(
    await client.put('/v1/carrier', {
      kind: 'sip',
      username: 'pbx',
      password: 'a word of it',
      addresses: ['8.8.4.0/24'],
      outbound_host: '8.8.4.7:5080',
      dial_extensions: ['100-199', '8000', '900-999', 'front-desk'],
      ...more,
    }),
  )
  done(await client.post('/v1/numbers', { extension: '201', account: 'pbx', agent: 'desk' }))
  if (isApproved)
    for (const { id, org: asks } of done(await deployment.operator.get('/v1/ops/networks')).networks)
      if (asks === org.id) done(await deployment.operator.post(`/v1/ops/networks/${id}/approve`))
  const dial = (body: object, at: Client = client) => at.post('/v1/agents/desk/dial', body)
  return { placingOrg, client, dial }
}

const offered = (call: string): Promise<Placement> =>
  until('it is offered', async () => {
    const { body } = await fleet.post('/v1/worker/placements', { worker: 'w1', wait_s: 0 })
    return body.placement?.call === call && body.placement
  })

test('an agent dials an extension of its SIP account, from its extension there and at the host of the account, and the ledger, the record and the log name both', async () => {
  const { placingOrg, client, dial } = await openPbx()
  const dialled = done(await dial({ extension: '105', account: 'pbx' }))
  assert.deepEqual([dialled.to, dialled.from], ['105@pbx', '201@pbx'])
  const placement = await offered(dialled.call)
  assert.deepEqual(
    [placement.to, placement.from, placement.trunk.hostname],
    ['105@pbx', '201@pbx', '8.8.4.7:5080'],
  )
  const [row] = await placingOrg.ledger()
  assert.deepEqual([row?.to, row?.outcome, row?.call], ['105@pbx', 'taken', dialled.call])
  const [entry] = await placingOrg.entries(dialled.call)
  assert.deepEqual(entry?.data, { to: '105@pbx', from: '201@pbx' })
  const explained = done(await client.get('/v1/agents/desk/dial/explain?extension=106&account=pbx'))
  assert.deepEqual([explained.would, explained.to, explained.from], ['pass', '106@pbx', '201@pbx'])
  // Where the agent dials from says at which account, too.
  assert.equal(done(await dial({ extension: '106', from: '201@pbx' })).to, '106@pbx')
  assert.equal(done(await dial({ extension: 'front-desk', account: 'pbx' })).to, 'front-desk@pbx')
})

test('an extension is dialled through its own account alone, whatever fallbacks its from number has', async () => {
  const { placingOrg, client, dial } = await openPbx()
  await placingOrg.account('backup', 'sip.backup.example')
  const from = newNumber()
  await placingOrg.number(from, 'pbx')
  done(await client.put(`/v1/numbers/${from}/fallbacks`, { accounts: ['backup'] }))
  const placement = await offered(done(await dial({ extension: '105', from })).call)
  assert.deepEqual([placement.from, placement.account, placement.fallbacks ?? []], [from, 'pbx', []])
})

test('an extension that the account does not name, an emergency number, an outside line and an unknown account are refused, each a row of the ledger', async () => {
  const { placingOrg, dial } = await openPbx()
  done(await deployment.operator.put(`/v1/ops/orgs/${placingOrg.org.slug}/dialling`, { per_minute: 1000 }))
  const form = 'an extension is 2 to 6 digits without a leading 0, or a name'
  const table: [string, string][] = [
    [
      '200',
      'agents dial 100-199 · 8000 · 900-999 · front-desk there: add it to dial_extensions of the account',
    ],
    [
      '80001',
      'agents dial 100-199 · 8000 · 900-999 · front-desk there: add it to dial_extensions of the account',
    ],
    [
      'sales',
      'agents dial 100-199 · 8000 · 900-999 · front-desk there: add it to dial_extensions of the account',
    ],
    ['112', 'it is an emergency number'],
    ['911', 'it is an emergency number'],
    ['9911', 'it is an emergency number'],
    ['9011442079460018', form],
    ['0105', form],
    ['+105', form],
    ['105@evil.example', form],
    ['105;phone-context=x', form],
    ['105%0d%0aX: y', form],
    ['', form],
  ]
  for (const [extension, fault] of table)
    refused(
      await dial({ extension, account: 'pbx' }),
      400,
      `${extension || 'an empty extension'}@pbx cannot be dialled: ${fault}`,
    )
  refused(
    await dial({ extension: '105', account: 'other' }),
    400,
    '105@other cannot be dialled: this org has no such SIP account',
  )
  const rows = await placingOrg.ledger()
  assert.equal(rows.length, table.length + 1)
  assert.ok(rows.every(({ outcome, reason }) => outcome === 'refused' && reason === 'bad_number'))
})

test('to stays a number in E.164, and is named without an extension (N-264)', async () => {
  const { dial, client } = await openPbx()
  for (const to of ['105', '105@pbx', '2125550123'])
    refused(
      await dial({ to, account: 'pbx' }),
      400,
      `${to} cannot be dialled: a number is + and its digits, calling code first, with nothing between them`,
    )
  refused(await dial({ to: '+34610000001', extension: '105' }), 400, 'name to or an extension, not both')
  refused(await dial({ account: 'pbx' }), 422, 'to: is required')
  refused(await client.get('/v1/agents/desk/dial/explain'), 422, 'to: is required')
  refused(
    await dial({ extension: '105' }),
    409,
    'this org has several SIP accounts: name in account whose extension it is, of peer · pbx',
  )
  refused(
    await dial({ extension: '105', account: 'pbx', consent: { kind: 'express', source: 'a form' } }),
    400,
    'consent: is for numbers, and an extension needs none',
  )
})

test('an extension is dialled only at an address that the operator approved, unless the operator set dial_anywhere', async () => {
  const unapproved = await openPbx({}, false)
  const where = (host: string) =>
    `105@pbx is dialled at ${host}, which is no address in a network of pbx that the operator approved: set outbound_host to one, or ask the operator for dial_anywhere`
  refused(await unapproved.dial({ extension: '105', account: 'pbx' }), 403, where('8.8.4.7:5080'))
  for (const host of ['8.8.5.7:5080', 'pbx.example']) {
    const { dial, placingOrg } = await openPbx({ outbound_host: host })
    refused(await dial({ extension: '105', account: 'pbx' }), 403, where(host))
    const at = `/v1/ops/orgs/${placingOrg.org.slug}/dialling`
    done(await deployment.operator.put(at, { dial_anywhere: true }))
    done(await dial({ extension: '105', account: 'pbx' }))
  }
})

test('an account that names no extensions lets agents dial none, and what it names is shown and may be taken away', async () => {
  const { client, dial } = await openPbx({ dial_extensions: null })
  refused(
    await dial({ extension: '105', account: 'pbx' }),
    400,
    '105@pbx cannot be dialled: agents dial no extension there: add it to dial_extensions of the account',
  )
  const put = (dial_extensions: unknown) => client.put('/v1/carrier', { username: 'pbx', dial_extensions })
  const shown = async () => done(await client.get('/v1/carrier?account=pbx')).sip.dial_extensions
  done(await put(['105', '105', '300-310']))
  assert.deepEqual(await shown(), ['105', '300-310'])
  done(await client.put('/v1/carrier', { username: 'pbx', label: 'PBX' }))
  assert.deepEqual(await shown(), ['105', '300-310'])
  done(await put([]))
  assert.deepEqual(await shown(), [])
  const wrong =
    'is no extension of 2 to 6 digits without a leading 0, no range of them, as 100-199, and no name'
  for (const range of [
    '0105',
    '1',
    '1234567',
    '100-',
    '199-100',
    '10-199',
    '100-150-199',
    '1XX',
    '10٠',
    'a@b',
    '+34',
    '_x',
  ])
    refused(await put([range]), 400, `dial_extensions: ${range} ${wrong}`)
  refused(await put(['911']), 400, 'dial_extensions: 911 is an emergency number')
  const many = Array.from({ length: 51 }, (_, at) => String(100 + at))
  refused(await put(many), 400, 'dial_extensions: has more than 50 of them')
})

test('an agent without a number in the account, of another org, of the other environment or with a lesser key dials none of its extensions', async () => {
  const { placingOrg, client, dial } = await openPbx()
  refused(
    await client.post('/v1/agents/desk/dial', { extension: '105', account: 'pbx', from: placingOrg.from }),
    409,
    `desk in production dials extensions of pbx from a number or an extension that lives in that account: ${placingOrg.from} does not`,
  )
  done(await client.put('/v1/numbers/201@pbx/env', { env: 'production' }))
  const other = await PlacingOrg.open(deployment)
  refused(
    await dial({ extension: '105', account: 'pbx' }, other.client),
    400,
    /this org has no such SIP account/,
  )
  const { client: sandboxed } = await placingOrg.org.serverToken('sandbox', { scopes: ['talk'] })
  refused(
    await dial({ extension: '105', account: 'pbx' }, sandboxed),
    409,
    'desk in sandbox dials extensions of pbx from a number or an extension that lives in that account: import one',
  )
  const { client: reader } = await placingOrg.org.serverToken('production', { scopes: ['calls'] })
  assert.equal((await dial({ extension: '105', account: 'pbx' }, reader)).status, 403)
})

test('extensions need neither consent nor calling hours, and count for the limits over two gateways', async () => {
  const takenOf = async (policy: object, extensions: string[]) => {
    const { placingOrg, dial } = await openPbx()
    const { client: admin } = await placingOrg.org.person('admin', { production: true })
    const strict = { consent_everywhere: true, calling_hours: { start: '00:00', end: '00:01' } }
    done(await admin.in('production').put('/v1/org/policy', { ...strict, ...policy }))
    const there = elsewhere.anonymous.as(placingOrg.key)
    const answers = await Promise.all(
      extensions.map((extension, at) =>
        dial({ extension, account: 'pbx' }, at % 2 === 0 ? placingOrg.client : there),
      ),
    )
    assert.equal((await placingOrg.ledger()).length, extensions.length)
    const statuses = answers.map(({ status }) => status)
    assert.ok(
      statuses.every((status) => status === 202 || status === 429),
      statuses.join(' '),
    )
    return statuses.filter((status) => status === 202).length
  }
  assert.equal(await takenOf({ per_minute: 3 }, ['101', '102', '103', '104', '105', '106']), 3)
  assert.equal(await takenOf({ per_number_day: 2 }, ['105', '105', '105', '105']), 2)
})

test('a colleague at an extension or a SIP address of the account is brought into a call that came over it, if the account names them', async () => {
  const { placingOrg } = await openPbx()
  done(await deployment.operator.put(`/v1/ops/orgs/${placingOrg.org.slug}/dialling`, { per_minute: 1000 }))
  const agent = new SpokenAgent(deployment, placingOrg.org, 'desk', `201@pbx/${placingOrg.org.id}`)
  const call = await agent.open({ from: '105' })
  const worker = deployment.anonymous.as(fleetKey).in('production').with({ 'svc-org': placingOrg.org.id })
  const trunk = (to: string) =>
    worker.get(`/v1/agents/desk/outbound-trunk?${new URLSearchParams({ to, call }).toString()}`)
  const leg = done(await trunk('106'))
  assert.deepEqual([leg.to, leg.from, leg.trunk.hostname], ['106', '201@pbx', '8.8.4.7:5080'])
  refused(await trunk('300'), 400, /^300@pbx cannot be dialled: agents dial 100-199 /)
  const named = done(await trunk('sip:front-desk@8.8.4.7'))
  assert.deepEqual([named.to, named.trunk.hostname], ['sip:front-desk@8.8.4.7', '8.8.4.7:5080'])
  assert.deepEqual(
    (await placingOrg.ledger()).filter(({ outcome }) => outcome === 'taken').map(({ to }) => to),
    ['front-desk@pbx', '106@pbx'],
  )
  refused(await trunk('sip:sales@8.8.4.7'), 400, /^sales@pbx cannot be dialled: agents dial 100-199/)
  refused(await trunk('sip:front-desk@evil.example'), 400, /at the outbound_host of the SIP account alone/)
  refused(
    await trunk('sip:+34610000099@8.8.4.7'),
    400,
    /^\+34610000099@pbx cannot be dialled: an extension is/,
  )
  refused(await trunk('sip:911@8.8.4.7'), 400, /it is an emergency number/)
  refused(await trunk('112'), 400, '112 cannot be dialled: it is an emergency number')
  const sent = await placingOrg.client.post(`/v1/agents/desk/cold-transfer?to=300&call=${call}`)
  assert.deepEqual(done(sent), { call, to: '300' })
})

test('a call that is held over no SIP account brings in no extension', async () => {
  const { placingOrg } = await openPbx()
  const hooked = newNumber()
  await placingOrg.number(hooked, null, 'hooked')
  const call = await new SpokenAgent(deployment, placingOrg.org, 'desk', hooked).open()
  const worker = deployment.anonymous.as(fleetKey).in('production').with({ 'svc-org': placingOrg.org.id })
  refused(
    await worker.get(`/v1/agents/desk/outbound-trunk?to=106&call=${call}`),
    400,
    '106 cannot be dialled: an extension is dialled by a SIP account of the org alone, and this call is held over none',
  )
})
