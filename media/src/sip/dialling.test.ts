import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { afterEach, test } from 'node:test'
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { generate } from 'selfsigned'
import { SipTest } from '../../testing/sip-call.ts'
import { never, offerOf, openFence, trunkTo, until } from '../../testing/sip-peer.ts'
import { header, headersOf, isRequest } from './message.ts'
import { SipRefused } from './server.ts'

const run = new SipTest()
afterEach(() => run.stop())

const [to, from] = ['+34911222333', '+34600111222']
const fast = { t1Ms: 10, t2Ms: 20, t4Ms: 10 }

for (const transport of ['udp', 'tcp'] as const)
  test(`two servers agree over ${transport}, and either hangs up for both`, async () => {
    const far = await run.answering()
    const near = await run.server()
    for (const side of ['near', 'far'] as const) {
      const call = await near.server.invite(to, trunkTo(far.server.port, transport), from, never)
      const other = await far.calls.at(-1)
      assert.ok(other)
      assert.deepEqual(
        [call.terms.remotePort, other.terms.remotePort],
        [other.terms.localPort, call.terms.localPort],
      )
      assert.deepEqual([call.terms.codec, call.terms.tonePayloadType], ['PCMU', 101])
      assert.deepEqual([near.ports.size, far.ports.size], [1, 1])
      await (side === 'near' ? call : other).bye()
      assert.deepEqual(await Promise.all([call.ended, other.ended]), ['hangup', 'hangup'])
      await call.bye()
      assert.deepEqual(
        [near.ports.size, far.ports.size, near.server.stats.dialogs, far.server.stats.dialogs],
        [0, 0, 0, 0],
      )
    }
    assert.deepEqual([...near.sentences, ...far.sentences], [])
  })

test('a trunk is dialled over TLS if its certificate is trusted, and not otherwise', async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  })
  const far = await run.answering()
  const door = createServer({ key, cert }, (secure) => {
    const plain = connect(far.server.port, '127.0.0.1')
    secure
      .on('error', () => {})
      .pipe(plain)
      .pipe(secure)
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  const address = door.address()
  assert.ok(address && typeof address === 'object')
  const near = await run.server({ timing: fast })
  const trunk = { ...trunkTo(0, 'tls'), hostname: `localhost:${address.port}` }
  const usual = getCACertificates('default')
  try {
    await assert.rejects(near.server.invite(to, trunk, from, never), {
      status: 503,
      message: 'the certificate of localhost is not signed by a CA that is trusted: add it to the account',
    })
    setDefaultCACertificates([...usual, cert])
    const call = await near.server.invite(to, trunk, from, never)
    await (await far.calls[0])?.bye()
    assert.equal(await call.ended, 'hangup')
  } finally {
    setDefaultCACertificates(usual)
    door.close()
  }
})

test('a trunk that asks for proof is given it, and its refusal is reported', async () => {
  const pair = { username: 'peer', password: 'secret' }
  const fences = [{ ...openFence, pair }]
  const far = await run.answering({ fences: () => fences })
  const near = await run.server()
  const call = await near.server.invite(to, trunkTo(far.server.port, 'udp', pair), from, never)
  await call.bye()
  for (const [known, status] of [
    [{ ...pair, password: 'guess' }, 403],
    [{ username: '', password: '' }, 401],
  ] as const)
    await assert.rejects(near.server.invite(to, trunkTo(far.server.port, 'udp', known), from, never), {
      status,
    })
  assert.equal(near.ports.size, 0)
})

test('a proxy that asks for proof is given it, and asked no third time with a pair that it refused', async () => {
  const near = await run.server()
  const far = await run.peer(near.server)
  const calling = near.server.invite(
    to,
    trunkTo(far.port, 'udp', { username: 'peer', password: 'x' }),
    from,
    never,
  )
  const headers = ['Proxy-Authenticate: Digest realm="r", nonce="n", qop="auth"']
  const numbered = (number: number) =>
    far.find((message) => isRequest(message) && message.method === 'INVITE' && message.cseq.number === number)
  for (const number of [1, 2]) {
    const invite = await numbered(number)
    assert.equal(
      header(invite, 'proxy-authorization')?.includes('username="peer"'),
      number === 2 ? true : undefined,
    )
    assert.ok(isRequest(invite))
    far.answer(invite, '407 Prove It', { headers })
  }
  await assert.rejects(calling, { status: 407 })
  assert.ok(far.received.every((message) => message.cseq.number < 3))
})

test('whatever the far end answers is reported with its status, and no response is 408', async () => {
  const fences = [openFence]
  for (const status of [404, 480, 486, 503, 600, 603]) {
    const far = await run.server({ fences: () => fences }, (invite) => invite.reject(status))
    const near = await run.server()
    const refused = near.server.invite(to, trunkTo(far.server.port), from, never)
    await assert.rejects(refused, (error) => error instanceof SipRefused && error.status === status)
    assert.equal(near.ports.size, 0)
  }
  const near = await run.server({ timing: fast })
  const silent = await run.peer(near.server)
  const refused = near.server.invite(to, trunkTo(silent.port), from, never)
  await assert.rejects(refused, {
    name: 'MediaError',
    status: 408,
    message: 'the carrier did not answer',
  })
  assert.ok(silent.heard.length > 3, 'it was asked again and again')
  await assert.rejects(
    near.server.invite(to, { ...trunkTo(1), hostname: 'nowhere.invalid:5060' }, from, never),
    {
      message: 'nowhere.invalid has no IPv4 address',
    },
  )
  for (const wrong of ['a b', 'x>y', '<sip:a@b>'])
    await assert.rejects(near.server.invite(wrong, trunkTo(silent.port), from, never), {
      message: `${wrong} is neither a number nor a SIP address`,
    })
})

test('an abort takes a ringing call back', async () => {
  const fences = [openFence]
  const far = await run.server({ fences: () => fences }, (invite) => invite.ring())
  const near = await run.server()
  const abort = new AbortController()
  const calling = near.server.invite(to, trunkTo(far.server.port), from, abort.signal)
  await until(() => far.invites.length === 1)
  // The far end's 180 is on its way; an abort before it waits for it.
  abort.abort()
  await assert.rejects(calling, { status: 487 })
  await until(() => far.invites[0]?.signal.aborted === true)
  await assert.rejects(near.server.invite(to, trunkTo(far.server.port), from, abort.signal), { status: 487 })
  assert.deepEqual([near.ports.size, far.invites.length], [0, 1])
})

test('a CANCEL waits for the first sign of life, and an answer that crosses it is hung up', async () => {
  const near = await run.server()
  const far = await run.peer(near.server)
  const abort = new AbortController()
  const calling = near.server.invite(to, trunkTo(far.port), from, abort.signal)
  const invite = await far.asked('INVITE')
  abort.abort()
  await assert.rejects(calling, { status: 487 })
  await far.caughtUp()
  assert.deepEqual(new Set(far.heard), new Set(['INVITE']))
  far.answer(invite, '180 Ringing')
  const cancel = await far.asked('CANCEL')
  assert.deepEqual([header(cancel, 'via'), cancel.cseq.number], [header(invite, 'via'), invite.cseq.number])
  far.answer(invite, '200 OK', { body: offerOf(4000), headers: [`Contact: <sip:far@127.0.0.1:${far.port}>`] })
  await far.asked('ACK')
  await far.asked('BYE')
})

test('an answer that comes again is acknowledged again, and of two that answer one is hung up', async () => {
  const near = await run.server()
  const far = await run.peer(near.server)
  const calling = near.server.invite(to, trunkTo(far.port), from, never)
  const invite = await far.asked('INVITE')
  const headers = [`Contact: <sip:far@127.0.0.1:${far.port}>`]
  far.answer(invite, '200 OK', { body: offerOf(4000), headers, tag: 'one' })
  const call = await calling
  const tags = (method: string) =>
    far.received
      .filter((message) => isRequest(message) && message.method === method)
      .map((message) => message.to.tag)
  far.answer(invite, '200 OK', { body: offerOf(4000), headers, tag: 'one' })
  await until(() => tags('ACK').length === 2)
  far.answer(invite, '200 OK', { body: offerOf(5000), headers, tag: 'two' })
  await until(() => tags('BYE').length === 1)
  assert.deepEqual([tags('ACK'), tags('BYE')], [['one', 'one', 'two'], ['two']])
  assert.equal(call.terms.remotePort, 4000)
})

test('an answer whose sound does not fit is acknowledged and hung up', async () => {
  const near = await run.server()
  const far = await run.peer(near.server)
  const calling = near.server.invite(to, trunkTo(far.port), from, never)
  far.answer(await far.asked('INVITE'), '200 OK', { body: 'v=0' })
  await assert.rejects(calling, { status: 488 })
  await far.asked('ACK')
  await far.asked('BYE')
  assert.equal(near.ports.size, 0)
})

test('requests within a call go by the way that the far end recorded, in its order', async () => {
  const near = await run.server()
  const [far, proxy] = [await run.peer(near.server), await run.peer(near.server)]
  const calling = near.server.invite(to, trunkTo(far.port), from, never)
  const invite = await far.asked('INVITE')
  const headers = [
    'Record-Route: <sip:10.1.1.1;lr>',
    `Record-Route: <sip:127.0.0.1:${proxy.port};lr>`,
    'Contact: <sip:far@192.0.2.77:5099>',
  ]
  far.answer(invite, '200 OK', { body: offerOf(4000), headers })
  const call = await calling
  void call.bye()
  for (const method of ['ACK', 'BYE']) {
    const asked = await proxy.asked(method)
    assert.equal(asked.uri, 'sip:far@192.0.2.77:5099')
    assert.deepEqual(headersOf(asked, 'route'), [`<sip:127.0.0.1:${proxy.port};lr>`, '<sip:10.1.1.1;lr>'])
  }
  proxy.answer(await proxy.asked('BYE'), '200 OK')
})

test('a far end that no fence lists is heard within its call, and no other source is', async () => {
  const near = await run.server()
  const [far, stranger] = [await run.peer(near.server), await run.peer(near.server, '127.0.0.9')]
  const calling = near.server.invite(to, trunkTo(far.port), from, never)
  const invite = await far.asked('INVITE')
  far.answer(invite, '200 OK', { body: offerOf(4000), headers: [`Contact: <sip:far@127.0.0.1:${far.port}>`] })
  const call = await calling
  const ack = await far.asked('ACK')
  const swapped = { From: header(ack, 'to') ?? '', To: header(ack, 'from') ?? '', 'Call-ID': ack.callId }
  stranger.request({ method: 'BYE', to: 'sip:x@127.0.0.1', headers: swapped })
  far.request({ method: 'OPTIONS', to: 'sip:x@127.0.0.1' })
  far.request({ method: 'INVITE', to: 'sip:+34911222333@127.0.0.1', body: offerOf(4000) })
  far.request({ method: 'BYE', to: 'sip:x@127.0.0.1', headers: { To: '<sip:x@y>;tag=unknown' } })
  far.request({ method: 'BYE', to: 'sip:x@127.0.0.1', headers: swapped })
  assert.equal(await call.ended, 'hangup')
  await far.status(200)
  await Promise.all([far.caughtUp(), stranger.caughtUp()])
  assert.deepEqual([far.heard, stranger.heard], [['INVITE', 'ACK', 200], []])
})
