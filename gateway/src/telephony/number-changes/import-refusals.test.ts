import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { saidWith } from '../../../testing/telephony/carrier-fake.ts'
import { refused } from '../../../testing/client.ts'
import { newLine, NumberFixture } from '../../../testing/telephony/number-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'

const fixture = await NumberFixture.start()
after(() => fixture[Symbol.asyncDispose]())
const { carrier, media, deployment } = fixture

test('a number that another org holds is 409, dry or not, naming neither org nor trunk, and nothing is moved (N-003, N-197, N-198, N-515, T-33, T-45)', async () => {
  const [holder, other] = [await fixture.newOrg(), await fixture.newOrg()]
  const number = newLine()
  await holder.imported({ number, hooked: true })
  const account = await other.account(number)
  const trunk = account.addTrunk('PBX', 'sip:pbx.example:5060')
  account.numbers[0]!.trunk_sid = trunk.sid
  const written = carrier.writes.length
  const sentence = `${number} is routed by another org on this platform: that org must release it first`
  for (const query of ['', '?dry_run=true'])
    for (const body of [{ number }, { number, move: true }, { number, hooked: true }])
      refused(await other.import(body, 'sandbox', query), 409, sentence)
  refused(await other.import({ number }, 'production'), 409, sentence)
  assert.equal(carrier.writes.length, written)
  assert.equal((await holder.list()).length, 1)
})

test('of two orgs that hook one number at the same time, on two gateways, one has it (N-003, N-197, N-515)', async () => {
  const second = await deployment.another()
  const [one, other] = [await fixture.newOrg(), await fixture.newOrg()]
  for (let round = 0; round < 5; round += 1) {
    const number = newLine()
    const there = second.anonymous.as((await other.org.person('admin')).key)
    const answers = await Promise.all([
      one.import({ number, hooked: true }),
      there.post('/v1/numbers', { number, agent: 'desk', hooked: true }),
    ])
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    )
  }
})

test('a number of the org’s other environment is 409 naming the move (T-49, ND-25)', async () => {
  const org = await fixture.newOrg()
  const number = newLine()
  await org.account(number)
  await org.imported({ number }, 'production')
  const sentence = `${number} is in production: move it with PUT /v1/numbers/${number}/env`
  for (const query of ['', '?dry_run=true'])
    refused(await org.import({ number }, 'sandbox', query), 409, sentence)
  const manager = (await org.org.person('manager')).client
  refused(await manager.post('/v1/numbers', { number, agent: 'desk' }), 409, sentence)
  refused(
    await manager.put(`/v1/numbers/${number}/env`, { env: 'sandbox' }),
    403,
    'moving a number takes production access, in either direction',
  )
})

test('which account is meant, and whether it has the number (N-170, N-193, N-194, N-199, N-514, N-515, ND-14, ND-23)', async () => {
  const org = await fixture.newOrg()
  const number = newLine()
  const ask = (more: object = {}) => org.import({ number, ...more })
  refused(await ask(), 404, 'this org holds no carrier account: add one with PUT /v1/carrier')
  const first = await org.account(newLine())
  refused(await ask(), 404, `account ${first.sid} has no number ${number}`)
  refused(await ask({ account: 'ACnone' }), 404, 'this org holds no carrier account ACnone')
  const second = await org.account(number)
  refused(
    await ask(),
    409,
    `this org holds several accounts: name one in account, of ${first.sid} · ${second.sid}`,
  )
  refused(await ask({ account: first.sid }), 404, `account ${first.sid} has no number ${number}`)
  assert.equal((await org.imported({ number, account: second.sid })).route.number, number)
  assert.equal((await org.list())[0].account, second.sid)
})

test('values that no number can have are refused before any carrier is asked (N-022, N-195, N-196, N-512, ND-01, ND-23, ND-24)', async () => {
  const org = await fixture.newOrg()
  const asked = fixture.asked
  const number = newLine()
  const channels = 'channel: must be phone or msgapp, the others have no numbers'
  const slug = 'agent: must be lower-case letters, digits, dashes and underscores, at most 63'
  const cases: [object, number, string][] = [
    [{ number: 'x', agent: 'Desk!' }, 422, slug],
    [{ number, agent: undefined }, 422, 'agent: is required'],
    [{ number: 5 }, 422, 'number: must be a string'],
    [{ number, hooked: 'true' }, 422, 'hooked: must be true or false'],
    [{ number, channel: 'fax' }, 400, channels],
    [{ channel: 'chat' }, 400, channels],
    [{}, 400, 'number: is required, in E.164 such as +14155550123'],
    [{ number: '' }, 400, 'number: is required, in E.164 such as +14155550123'],
    [{ number, hooked: true, channel: 'msgapp' }, 400, 'hooked: a messaging number is never hooked'],
    [
      { number, hooked: true, via: 'apicarrier', networks: ['8.8.8.8'] },
      400,
      'name via or networks, not both: a number comes through one of them',
    ],
    [{ number, hooked: true, via: 'nobody' }, 400, 'via: must be a carrier of the catalogue: apicarrier'],
    [{ number, hooked: true, networks: [] }, 400, 'networks: name at least one address'],
    [
      { number, hooked: true, networks: ['8.8.8.8', '10.0.0.1'] },
      400,
      'networks: 10.0.0.1 is not public: it is private',
    ],
  ]
  for (const [body, status, sentence] of cases) {
    refused(await org.import(body), status, sentence)
    refused(await org.import(body, 'sandbox', '?dry_run=true'), status, sentence)
  }
  for (const wrong of [
    '5551234',
    '+0155512345',
    '+155512',
    '+1 415 555 0100',
    '0014155550100',
    `+${'1'.repeat(16)}`,
  ])
    refused(
      await org.import({ number: wrong }),
      400,
      `number: ${wrong} is not in E.164, as + and 7 to 15 digits`,
    )
  assert.deepEqual(fixture.asked, asked)
})

test('the carrier’s own sentence is a 502, and so is its silence (N-204, ND-20)', async () => {
  const org = await fixture.newOrg()
  const number = newLine()
  await org.account(number)
  carrier.fault = () => ({ status: 503, message: 'Down for a nap' })
  refused(await org.import({ number }), 502, `the carrier says: ${saidWith('Down for a nap')}`)
  carrier.fault = () => 'breaks'
  refused(await org.import({ number }), 502, 'the carrier did not answer')
  carrier.fault = () => ({ status: 401, message: 'Authenticate' })
  refused(await org.import({ number }), 502, `the carrier says: ${saidWith('Authenticate')}`)
  carrier.fault = () => undefined
})

test('the media server’s own sentence is a 502, and nothing is routed (ND-29, N-180)', async () => {
  const org = await fixture.newOrg()
  const number = newLine()
  const account = await org.account(number)
  media.sandbox.refuse('CreateSIPInboundTrunk', 'resource_exhausted', 'no more trunks today')
  const answer = await org.import({ number })
  assert.equal(answer.status, 502)
  assert.match(answer.body.detail, /no more trunks today/)
  assert.deepEqual(await org.list(), [])
  await org.imported({ number })
  assert.deepEqual([account.trunks.length, (await org.list()).length], [1, 1])
})

test('a person who works on some agents only routes no number to another (I-309, T-32)', async () => {
  const org = await fixture.newOrg()
  const { client } = await org.org.person('manager', { agents: ['sales'] })
  const number = newLine()
  refused(
    await client.post('/v1/numbers', { number, agent: 'desk', hooked: true }),
    403,
    'this key works on sales alone',
  )
  refused(
    await client.post('/v1/numbers/buy', { country: 'US', agent: 'desk' }),
    403,
    'this key works on sales alone',
  )
  done(await client.post('/v1/numbers', { number, agent: 'sales', hooked: true }))
})
