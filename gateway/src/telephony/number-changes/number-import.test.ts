import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { saidWith } from '../../../testing/telephony/carrier-fake.ts'
import { refused } from '../../../testing/client.ts'
import { newLine, NumberFixture } from '../../../testing/telephony/number-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'

const fixture = await NumberFixture.start()
after(() => fixture[Symbol.asyncDispose]())
const { carrier, media, deployment } = fixture
const origin = 'sip:voice.example:5060;transport=udp'

test('an import takes three writes: the carrier, the media server and the route (N-004, N-005, N-006, N-021, N-023, N-025, N-026, N-028, N-035, N-037, N-145, N-146, N-164, N-167, N-168, N-173, N-185, N-188, N-189, ND-26, ND-28, ND-29, ND-35, T-28)', async () => {
  const org = await fixture.newOrg()
  const number = newLine()
  const account = await org.account(number)
  const name = account.numbers[0]!.friendly_name
  const route = {
    org: org.id,
    agent: 'desk',
    channel: 'phone',
    number,
    label: name,
    env: 'sandbox',
    managed: false,
  }
  // A person's key that names no environment acts in the sandbox.
  assert.deepEqual(done(await org.admin.post('/v1/numbers', { number, agent: 'desk' })), {
    route,
    steps: [
      `carrier trunk ${origin}: done`,
      `carrier number ${number}: done`,
      `inbound trunk ${org.id}/sandbox/apicarrier: done`,
      `rule ${org.id}/sandbox: done`,
      `route ${number} to desk: done`,
    ],
    dry_run: false,
  })
  const [trunk] = account.trunks
  assert.deepEqual(
    [account.trunks.length, trunk?.friendly_name, trunk?.origination.map(({ sip_url }) => sip_url)],
    [1, 'svc voice.example', [origin]],
  )
  assert.equal(account.numbers[0]!.trunk_sid, trunk?.sid)
  const fence = org.trunk('sandbox', 'apicarrier')
  assert.deepEqual(fence?.numbers, [number])
  assert.ok(fence.allowedAddresses.includes('54.172.60.0/30'))
  const rule = org.rule('sandbox')
  assert.deepEqual(rule?.trunkIds, [fence.sipTrunkId])
  assert.equal(rule.roomConfig?.agents[0]?.agentName, 'sandbox')
  assert.deepEqual(await org.list(), [
    {
      route,
      origin: 'imported',
      rings: 'broken',
      last_call_at: null,
      via: null,
      account: account.sid,
      fallback_accounts: [],
    },
  ])
  assert.deepEqual(await org.list('production'), [])
})

test('a second import writes nothing and says that everything is there (N-179, N-181, ND-26, ND-37)', async () => {
  const org = await fixture.newOrg()
  const number = newLine()
  await org.account(number)
  await org.imported({ number })
  const [written, told] = [carrier.writes.length, media.sandbox.writes.length]
  const { steps } = await org.imported({ number })
  assert.deepEqual(steps, [
    `carrier trunk ${origin}: stands`,
    `carrier number ${number}: stands`,
    `inbound trunk ${org.id}/sandbox/apicarrier: stands`,
    `rule ${org.id}/sandbox: stands`,
    `route ${number} to desk: stands`,
  ])
  assert.deepEqual([carrier.writes.length, media.sandbox.writes.length], [written, told])
  done(await org.admin.delete(`/v1/numbers/${number}`))
  assert.deepEqual((await org.imported({ number })).steps.slice(0, 2), steps.slice(0, 2))
})

test('a dry run answers the same steps as to do and writes nothing anywhere (N-147, N-182, N-183, T-41, ND-01)', async () => {
  const org = await fixture.newOrg()
  const number = newLine()
  await org.account(number)
  const [written, told] = [carrier.writes.length, media.sandbox.writes.length]
  for (const word of ['true', '1']) {
    const { steps, dry_run, route } = await org.imported({ number }, 'sandbox', `?dry_run=${word}`)
    assert.deepEqual([dry_run, route.number], [true, number])
    assert.deepEqual(steps, [
      `carrier trunk ${origin}: to do`,
      `carrier number ${number}: to do`,
      `inbound trunk ${org.id}/sandbox/apicarrier: to do`,
      `rule ${org.id}/sandbox: to do`,
      `route ${number} to desk: to do`,
    ])
  }
  const own = { number: newLine(), hooked: true, networks: ['8.8.8.0/24'] }
  await org.imported(own, 'sandbox', '?dry_run=true')
  const waiting = done(await deployment.operator.get('/v1/ops/networks')).networks
  assert.deepEqual(
    waiting.filter((network: { org: string }) => network.org === org.id),
    [],
  )
  assert.deepEqual([carrier.writes.length, media.sandbox.writes.length], [written, told])
  assert.deepEqual(await org.list(), [])
  const second = (await org.imported({ number }, 'sandbox', '?dry_run=false')).steps
  assert.equal(second.at(-1), `route ${number} to desk: done`)
  const repeated = await org.imported({ number }, 'sandbox', '?dry_run=1')
  assert.ok(repeated.steps.every((step: string) => step.endsWith(': stands')))
  refused(await org.import({ number }, 'sandbox', '?dry_run=yes'), 422, 'dry_run: must be true or false')
})

test('the account’s trunk that points here is found whatever it is called, and never doubled (N-165, N-166, T-42, ND-28)', async () => {
  const org = await fixture.newOrg()
  const [first, second] = [newLine(), newLine()]
  const account = await org.account(first, second)
  account.addTrunk('elsewhere', 'sip:other.example:5060;transport=udp')
  const disabled = account.addTrunk('off', origin)
  disabled.origination[0]!.enabled = false
  const ours = account.addTrunk('whatever', 'sip:VOICE.example:5060;transport=udp')
  const { steps } = await org.imported({ number: first })
  assert.deepEqual(steps.slice(0, 2), [`carrier trunk ${origin}: stands`, `carrier number ${first}: done`])
  ours.friendly_name = 'renamed'
  await org.imported({ number: second })
  assert.equal(account.trunks.length, 3)
  assert.deepEqual(
    account.numbers.map(({ trunk_sid }) => trunk_sid),
    [ours.sid, ours.sid],
  )
  assert.deepEqual(org.trunk('sandbox', 'apicarrier')?.numbers.toSorted(), [first, second])
})

test('a trunk that was left half made is completed (T-43, ND-28, N-180)', async () => {
  const org = await fixture.newOrg()
  const number = newLine()
  const account = await org.account(number)
  carrier.fault = ({ method, path }) =>
    method === 'POST' && path.endsWith('/OriginationUrls') ? { status: 500, message: 'Try later' } : undefined
  refused(await org.import({ number }), 502, `the carrier says: ${saidWith('Try later')}`)
  carrier.fault = () => undefined
  assert.deepEqual(await org.list(), [])
  const { steps } = await org.imported({ number })
  assert.equal(account.trunks.length, 1)
  assert.equal(account.trunks[0]!.origination.length, 1)
  assert.equal(steps[0], `carrier trunk ${origin}: done`)
})

test('a number on another trunk of the account is 409 naming it, and move takes it off there (N-200, N-201, N-202, N-515, T-45)', async () => {
  const org = await fixture.newOrg()
  const number = newLine()
  const account = await org.account(number)
  const other = account.addTrunk('PBX', 'sip:pbx.example:5060', 'sip:backup.example:5060')
  account.numbers[0]!.trunk_sid = other.sid
  const sentence = `${number} is on the trunk PBX of the same account, which points at sip:pbx.example:5060 · sip:backup.example:5060: send move to take it off there first`
  const written = carrier.writes.length
  refused(await org.import({ number }), 409, sentence)
  refused(await org.import({ number }, 'sandbox', '?dry_run=true'), 409, sentence)
  const dry = await org.imported({ number, move: true }, 'sandbox', '?dry_run=true')
  assert.deepEqual(dry.steps.slice(0, 3), [
    `carrier trunk ${origin}: to do`,
    'off trunk PBX: to do',
    `carrier number ${number}: to do`,
  ])
  assert.equal(carrier.writes.length, written)
  const { steps } = await org.imported({ number, move: true })
  assert.deepEqual(steps.slice(0, 3), [
    `carrier trunk ${origin}: done`,
    'off trunk PBX: done',
    `carrier number ${number}: done`,
  ])
  const [detached, attached] = carrier.writes.slice(-2)
  assert.equal(detached, `DELETE /v1/Trunks/${other.sid}/PhoneNumbers/${account.numbers[0]!.sid}`)
  assert.equal(attached, `POST /v1/Trunks/${account.trunks[1]!.sid}/PhoneNumbers`)
  const again = await org.imported({ number, move: true })
  assert.ok(again.steps.every((step: string) => step.endsWith(': stands')))
})

test('two imports at the same time, on two gateways, make one trunk (N-180, N-185)', async () => {
  const second = await deployment.another()
  const org = await fixture.newOrg()
  const numbers = Array.from({ length: 6 }, newLine)
  const account = await org.account(...numbers)
  const there = second.anonymous.as((await org.org.person('admin')).key)
  const answers = await Promise.all(
    [...numbers, ...numbers].map((number, place) =>
      place % 2 ? org.import({ number }) : there.post('/v1/numbers', { number, agent: 'desk' }),
    ),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array.from({ length: 12 }, () => 200),
  )
  assert.equal(account.trunks.length, 1)
  assert.deepEqual(org.trunk('sandbox', 'apicarrier')?.numbers.toSorted(), numbers.toSorted())
  const attached = carrier.writes.filter((write) => write.endsWith(`${account.trunks[0]!.sid}/PhoneNumbers`))
  assert.equal(attached.length, 6)
})

test('a number is re-routed in place: another agent, another way in, one row (N-004, ND-25, N-191)', async () => {
  const org = await fixture.newOrg()
  const [first, second] = [newLine(), newLine()]
  const account = await org.account(first)
  await org.imported({ number: first })
  await org.imported({ number: second, hooked: true })
  await org.peer('pbx', '8.8.8.8')
  await org.approveNetworks()
  const { steps } = await org.imported({ number: first, agent: 'sales', account: 'pbx' })
  assert.deepEqual(steps, [
    `inbound trunk ${org.id}/sandbox/sip/pbx: done`,
    `rule ${org.id}/sandbox: done`,
    `route ${first} to sales: done`,
  ])
  const rows = await org.list()
  assert.deepEqual(
    rows.map(({ route }: { route: { number: string; agent: string } }) => [route.number, route.agent]),
    [
      [first, 'sales'],
      [second, 'desk'],
    ],
  )
  assert.deepEqual([rows[0].account, rows[0].origin], ['pbx', 'imported'])
  assert.deepEqual(org.trunk('sandbox', 'apicarrier')?.numbers, [second])
  assert.deepEqual(org.trunk('sandbox', 'sip/pbx')?.numbers, [first])
  await org.imported({ number: first, account: account.sid })
  assert.equal(org.trunk('sandbox', 'sip/pbx'), undefined)
})

test('no secret is in an answer or in the log (T-30)', async () => {
  const org = await fixture.newOrg()
  const [number, other] = [newLine(), newLine()]
  const account = await org.account(number)
  await org.peer('secretive', '8.8.4.4')
  await org.approveNetworks()
  const told: string[] = []
  const note = ({ text }: { text: string }) => void told.push(text)
  note(await org.import({ number, account: account.sid }))
  note(await org.import({ number: other, account: 'secretive' }))
  carrier.fault = () => ({ status: 403, message: `no: ${account.token} of ${account.sid}` })
  note(await org.import({ number: newLine(), account: account.sid }))
  carrier.fault = () => undefined
  media.sandbox.refuse('UpdateSIPInboundTrunk', 'internal', 'broke')
  note(await org.import({ number: newLine(), account: 'secretive' }))
  note(await org.admin.get('/v1/numbers'))
  note(await org.admin.get('/v1/numbers/available'))
  const everything = told.join('\n') + deployment.log()
  for (const secret of [account.token, 'word of secretive', media.sandbox.secret, fixture.own.token])
    assert.ok(!everything.includes(secret))
})
