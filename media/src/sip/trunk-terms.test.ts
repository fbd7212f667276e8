import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { SipTest } from '../../testing/sip-call.ts'
import { never, offerOf, openFence, trunkTo } from '../../testing/sip-peer.ts'
import { header } from './message.ts'
import type { SipFence, SipTrunk } from './server.ts'

const run = new SipTest()
afterEach(() => run.stop())

const [to, from] = ['+442079460018', '+442079460099']
const british = { number_form: 'national', country_code: '44', trunk_prefix: '0' } as const

/** What a far end reads when it is dialled through a trunk. */
async function dialled(terms: Partial<SipTrunk>, called = to, caller = from) {
  const near = await run.server()
  const far = await run.peer(near.server)
  const over = new AbortController()
  const call = near.server.invite(called, { ...trunkTo(far.port), ...terms }, caller, over.signal)
  const refused = assert.rejects(call)
  const asked = await far.asked('INVITE')
  far.answer(asked, '486 Busy Here')
  await refused
  const heard = (name: string) => header(asked, name)?.replace(/;tag=.*/, '')
  return { uri: asked.uri, from: heard('from'), to: heard('to'), asserted: heard('p-asserted-identity'), far }
}

test('a trunk that says nothing of it gets E.164 numbers, our address in From and no asserted identity', async () => {
  const { far, ...read } = await dialled({})
  assert.deepEqual(read, {
    uri: `sip:${to}@127.0.0.1:${far.port}`,
    from: `<sip:${from}@127.0.0.1>`,
    to: `<sip:${to}@127.0.0.1:${far.port}>`,
    asserted: undefined,
  })
})

test('a trunk gets its own domain in From, the identity that it asks for, and numbers as it writes them', async () => {
  const { far, ...read } = await dialled({
    from_domain: 'voice.example',
    identity: 'p_asserted_identity',
    ...british,
  })
  assert.deepEqual(read, {
    uri: `sip:02079460018@127.0.0.1:${far.port}`,
    from: '<sip:02079460099@voice.example>',
    to: `<sip:02079460018@127.0.0.1:${far.port}>`,
    asserted: '<sip:02079460099@voice.example>',
  })
  const plain = await dialled({ number_form: 'plain' })
  assert.deepEqual(
    [plain.uri, plain.from],
    [`sip:442079460018@127.0.0.1:${plain.far.port}`, '<sip:442079460099@127.0.0.1>'],
  )
})

test('a caller without a number is anonymous, and no identity is asserted for them', async () => {
  const { from: said, asserted } = await dialled({ identity: 'p_asserted_identity' }, to, '')
  assert.deepEqual([said, asserted], ['<sip:anonymous@127.0.0.1>', undefined])
})

test('a caller who is forwarded is shown to a trunk that wants it, and Diversion names our number; no other trunk gets either', async () => {
  const near = await run.server()
  const far = await run.peer(near.server)
  for (const [identity, caller, wanted] of [
    [
      'diversion',
      '+34911222333',
      ['<sip:0034911222333@voice.example>', '<sip:02079460099@voice.example>;reason=deflection;counter=1'],
    ],
    ['diversion', undefined, ['<sip:02079460099@voice.example>', undefined]],
    ['none', '+34911222333', ['<sip:02079460099@voice.example>', undefined]],
  ] as const) {
    const trunk = { ...trunkTo(far.port), ...british, from_domain: 'voice.example', identity }
    const more = caller === undefined ? {} : { caller }
    const refused = assert.rejects(near.server.invite(to, trunk, from, never, more))
    const asked = await far.asked('INVITE')
    far.answer(asked, '486 Busy Here')
    await refused
    await far.asked('ACK')
    const read = [header(asked, 'from')?.replace(/;tag=.*/, ''), header(asked, 'diversion')]
    assert.deepEqual(read, wanted)
    far.received.length = 0
  }
})

test('a fence reads numbers as its peer writes them, the called one and the caller', async () => {
  const fence: SipFence = { ...openFence, networks: ['127.0.0.1'], numbers: [to], ...british }
  const { server, invites } = await run.server({ fences: () => [fence] }, (invite) => invite.reject(486))
  const peer = await run.peer(server)
  const wanted = ['02079460018', '00442079460018', '+442079460018', '02079460017']
  for (const [index, user] of wanted.entries())
    peer.request({
      method: 'INVITE',
      to: `sip:${user}@127.0.0.1`,
      body: offerOf(4000),
      headers: { 'Call-ID': `as-${index}`, From: '<sip:0034911222333@127.0.0.1>;tag=x' },
    })
  await peer.settle()
  await peer.status(404)
  assert.deepEqual(
    invites.map(({ number, from: caller }) => [number, caller]),
    Array.from({ length: 3 }, () => [to, '+34911222333']),
  )
})

/** Who calls, as it is read of an INVITE with these headers. */
async function readOf(headers: Record<string, string>, fence: SipFence | null = openFence) {
  const fences = fence ? [fence] : []
  const { server, invites } = await run.server(
    { fences: () => fences, isLocalAllowed: fence === null },
    (one) => one.reject(486),
  )
  const peer = await run.peer(server)
  const called = fence ? 'sip:+34911222333@127.0.0.1' : 'sip:hello@127.0.0.1'
  peer.request({ method: 'INVITE', to: called, body: offerOf(4000), headers })
  await peer.status(486)
  return [invites[0]?.from, invites[0]?.divertedFrom]
}

test('a number that the trunk asserts counts before From, and one that the caller withholds does not', async () => {
  const said = '<sip:+34600111222@127.0.0.1>'
  const read: [Record<string, string>, string][] = [
    [{}, '+34600111222'],
    [{ 'P-Asserted-Identity': '"Ana, the great" <sip:+34600333444@carrier.example>' }, '+34600333444'],
    [{ 'P-Asserted-Identity': '<sip:desk@pbx.example>, <tel:+34600333444>' }, '+34600333444'],
    [{ 'P-Asserted-Identity': '<sip:desk@pbx.example>' }, '+34600111222'],
    [{ 'P-Asserted-Identity': '<<;;,,"' }, '+34600111222'],
    [{ 'Remote-Party-ID': '<sip:0034600333444@h>;party=calling;privacy=off' }, '+34600333444'],
    [{ 'Remote-Party-ID': '<sip:+34600333444@h>;party=called' }, '+34600111222'],
    [{ 'Remote-Party-ID': '<sip:+34600333444@h>;party=calling;privacy=full' }, ''],
    [{ 'P-Asserted-Identity': '<sip:+34600333444@h>', Privacy: 'id' }, ''],
    [{ 'P-Asserted-Identity': '<sip:+34600333444@h>', Privacy: 'none' }, '+34600333444'],
    [{ 'P-Asserted-Identity': '<sip:+34600333444@h>', From: '<sip:anonymous@anonymous.invalid>;tag=1' }, ''],
  ]
  for (const [headers, caller] of read)
    assert.deepEqual(
      await readOf({ From: `${said};tag=1`, ...headers }),
      [caller, ''],
      JSON.stringify(headers),
    )
})

test('a phone of this machine asserts no number: it is no trunk', async () => {
  const headers = { 'P-Asserted-Identity': '<sip:+34600333444@h>', Diversion: '<sip:+34600555666@h>' }
  assert.deepEqual(await readOf(headers, null), ['+34600111222', ''])
})

test('a call that was sent on says from which number, the last one before us', async () => {
  const headers = { Diversion: '<sip:+34600555666@h>;reason=no-answer, <sip:+34600777888@h>;reason=busy' }
  assert.deepEqual(await readOf(headers), ['+34600111222', '+34600555666'])
  assert.deepEqual(await readOf({ Diversion: 'x' }), ['+34600111222', ''])
})

test('a registrar asks for the registered user: To says which number, else the only one is meant', async () => {
  const fence: SipFence = { ...openFence, networks: ['127.0.0.1'], registered_as: 'acme' }
  const calledAt = async (numbers: string[], headers: Record<string, string>, user = 'acme') => {
    const fences = [{ ...fence, numbers }]
    const { server, invites } = await run.server({ fences: () => fences }, (one) => one.reject(486))
    const peer = await run.peer(server)
    peer.request({ method: 'INVITE', to: `sip:${user}@127.0.0.1`, body: offerOf(4000), headers })
    await peer.status(486, 404)
    return invites[0]?.number ?? null
  }
  const [one, other] = ['+34911222333', '+34911222444']
  assert.equal(await calledAt([one, other], { To: '<sip:34911222444@pbx.example>' }), other)
  assert.equal(await calledAt([one, other], { To: '<sip:acme@pbx.example>' }), null)
  assert.equal(await calledAt([one], { To: '<sip:acme@pbx.example>' }), one)
  assert.equal(await calledAt([one], {}, 'another'), null)
  assert.equal(await calledAt([one, other], {}, one), one)
})
