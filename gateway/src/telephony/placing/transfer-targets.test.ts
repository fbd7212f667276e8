import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { PlacingOrg } from '../../../testing/telephony/placing-fixture.ts'
import { newNumber, SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const elsewhere = await deployment.another()

/** An org with a caller on the line, who called a number of its SIP account or another one. */
async function talking(number?: string) {
  const placingOrg = await PlacingOrg.open(deployment)
  if (number !== undefined) await placingOrg.number(number, null, 'hooked')
  const agent = new SpokenAgent(deployment, placingOrg.org, 'desk', number ?? placingOrg.from)
  const call = await agent.open({ from: newNumber() })
  const transfer = (to: string, client = placingOrg.client) =>
    client.post(`/v1/agents/desk/cold-transfer?${new URLSearchParams({ to, call }).toString()}`)
  return { placingOrg, call, transfer }
}

test('a caller who came over a SIP account of the org is sent on to its extensions and addresses, each a row of the ledger', async () => {
  const { placingOrg, call, transfer } = await talking()
  const allowed = ['201', 'sip:desk@sip.peer.example', 'sips:201@SIP.peer.example:5061']
  for (const to of [...allowed, 'sip:+34610000099@sip.peer.example'])
    assert.deepEqual(done(await transfer(to)), { call, to })
  const rows = await placingOrg.ledger()
  assert.deepEqual(
    rows.map(({ kind, to, outcome }) => [kind, to, outcome]),
    [...allowed, 'sip:+34610000099@sip.peer.example'].toReversed().map((to) => ['transfer', to, 'taken']),
  )
})

test('an address elsewhere, an outside line, an emergency number or a satellite is refused in a sentence, and the log says so', async () => {
  const { placingOrg, call, transfer } = await talking()
  const refusals: [string, string | RegExp][] = [
    [
      'sip:desk@evil.example',
      'sip:desk@evil.example cannot be dialled: a caller is sent on to addresses at the outbound_host of the SIP account alone, which is sip.peer.example',
    ],
    ['112', '112 cannot be dialled: it is an emergency number'],
    [
      'sip:+8811234567@sip.peer.example',
      'sip:+8811234567@sip.peer.example cannot be dialled: +881 is a satellite or global-service range',
    ],
    [
      'sip:0034911222333@sip.peer.example',
      'sip:0034911222333@sip.peer.example cannot be dialled: a number in a SIP address is + and its digits, calling code first',
    ],
    ['0911222333', /^0911222333 cannot be dialled: a number is \+ and its digits/],
    ['sip:desk@sip.peer.example;x=y', /cannot be dialled: a number is \+ and its digits/],
  ]
  for (const [to, sentence] of refusals) refused(await transfer(to), 400, sentence)
  const told = (await placingOrg.entries(call)).filter(({ type }) => type === 'call.transferred')
  assert.deepEqual(
    told.map(({ data }) => [data['to'], data['ok']]),
    refusals.map(([to]) => [to, false]),
  )
})

test('a caller who came over no SIP account of the org is sent on to numbers alone', async () => {
  const { transfer } = await talking(newNumber())
  refused(
    await transfer('201'),
    400,
    '201 cannot be dialled: an extension is dialled by a SIP account of the org alone, and this call is held over none',
  )
  refused(
    await transfer('sip:desk@sip.peer.example'),
    400,
    /a SIP address is dialled by a SIP account of the org alone/,
  )
  done(await transfer('+34610000098'))
})

test('extensions are held to the pace of dials, counted over two gateways', async () => {
  const { placingOrg, transfer } = await talking()
  const other = elsewhere.anonymous.as(placingOrg.key)
  const asked = await Promise.all(
    Array.from({ length: 10 }, (_, at) => transfer(`20${at}`, at % 2 === 0 ? placingOrg.client : other)),
  )
  const statuses = asked.map(({ status }) => status).toSorted((one, two) => one - two)
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 429, 429, 429, 429])
})
