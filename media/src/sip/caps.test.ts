import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, test } from 'node:test'
import { ours, SipTest } from '../../testing/sip-call.ts'
import { Flood, writtenBy } from '../../testing/sip-flood.ts'
import { never, offerOf, openFence, type SipPeer, trunkTo, until } from '../../testing/sip-peer.ts'
import { header, type SipMessage } from './message.ts'
import { type SipFence, SipRefused } from './server.ts'

const run = new SipTest()
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await run.stop()
})

const fences = [openFence]
const statusOf = (message: SipMessage) => ('status' in message ? message.status : null)

/** What is answered first to a call of its own. */
async function invited(peer: SipPeer, callId: string): Promise<SipMessage> {
  peer.request({ method: 'INVITE', to: ours, body: offerOf(4000), headers: { 'Call-ID': callId } })
  return peer.find((message) => message.callId === callId)
}

function assertFull(answer: SipMessage): void {
  assert.deepEqual([statusOf(answer), header(answer, 'retry-after')], [503, '10'])
}

test('a source has so many calls ringing at once, and others ring meanwhile', async () => {
  const { server, invites } = await run.server({ fences: () => fences, limits: { ringingOfSource: 2 } })
  const [mad, other] = [await run.peer(server), await run.peer(server, '127.0.0.2')]
  for (const callId of ['one', 'two']) assert.equal(statusOf(await invited(mad, callId)), 100)
  assertFull(await invited(mad, 'three'))
  assert.equal(statusOf(await invited(other, 'other')), 100)
  invites[0]?.reject(486)
  assert.equal(statusOf(await invited(mad, 'four')), 100)
  assert.deepEqual([server.stats.ringing, invites.length], [3, 4])
})

test('inbound and outbound calls share one limit, and a call that ends makes room', async () => {
  const far = await run.answering({ limits: { dialogs: 2 } })
  const near = await run.server()
  const call = () => near.server.invite('+34911222333', trunkTo(far.server.port), '', never)
  const [first] = [await call(), await call()]
  const peer = await run.peer(far.server, '127.0.0.2')
  assertFull(await invited(peer, 'third'))
  await assert.rejects(
    far.server.invite('+34600111222', trunkTo(peer.port), '', never),
    new SipRefused(503, 'Service Unavailable'),
  )
  await peer.settle()
  assert.ok(!peer.heard.includes('INVITE'))
  await first.bye()
  await until(() => far.server.stats.dialogs === 1)
  await call()
  assert.equal(far.server.stats.dialogs, 2)
})

test('a ringing call counts among the calls in progress', async () => {
  const { server } = await run.server({ fences: () => fences, limits: { dialogs: 1 } })
  const peer = await run.peer(server)
  assert.equal(statusOf(await invited(peer, 'one')), 100)
  assertFull(await invited(peer, 'two'))
})

test('so many requests are unsettled at once, and one that is settled makes room', async () => {
  const { server, invites } = await run.server({
    fences: () => fences,
    limits: { transactions: 2 },
    timing: { t4Ms: 10 },
  })
  const [peer, other] = [await run.peer(server), await run.peer(server, '127.0.0.2')]
  await invited(peer, 'one')
  await invited(peer, 'two')
  assertFull(await invited(other, 'three'))
  // What asks for nothing that is kept is answered still.
  await other.settle()
  invites[0]?.reject(486)
  const refused = await peer.status(486)
  const headers = { Via: header(refused, 'via') ?? '', To: header(refused, 'to') ?? '', 'Call-ID': 'one' }
  peer.request({ method: 'ACK', to: ours, headers })
  await until(() => server.stats.transactions === 1)
  assert.equal(statusOf(await invited(other, 'four')), 100)
})

for (const limits of [{ transactionsOfDialog: 4 }, { transactions: 5 }])
  test(`within a call so much is asked at once (${Object.keys(limits)[0]}), and it can be hung up still`, async () => {
    const { say, answered, call, server } = await run.standing({ limits })
    const asked = Array.from({ length: 8 }, () => say('INFO', '', {}, 'text/plain'))
    const statuses = await Promise.all(asked.map(async (number) => statusOf(await answered(number))))
    assert.deepEqual(new Set(statuses), new Set([200, 503]))
    assert.deepEqual(statuses.slice(-2), [503, 503])
    assert.ok(server.stats.transactions <= 5)
    assert.equal(statusOf(await answered(say('BYE'))), 200)
    assert.equal(await call.ended, 'hangup')
  })

test('what was asked within a call and is settled makes room in it', async () => {
  const { say, answered, server } = await run.standing({
    limits: { transactionsOfDialog: 3 },
    timing: { t1Ms: 5 },
  })
  const ask = async () => statusOf(await answered(say('INFO', '', {}, 'text/plain')))
  for (let status = await ask(); status !== 503;) status = await ask()
  await until(() => server.stats.transactions === 0)
  assert.equal(await ask(), 200)
})

test('what is asked within one call takes nothing from another, and what is out of order is kept nowhere', async () => {
  const { say, answered, server, calls } = await run.standing({ limits: { transactionsOfDialog: 2 } })
  for (let more = 0; more < 4; more += 1) await answered(say('INFO', '', {}, 'text/plain'))
  const before = server.stats.transactions
  await answered(say('BYE', '', { CSeq: '1 BYE' }) && 1, (status) => status === 500)
  assert.equal(server.stats.transactions, before)
  const near = await run.server()
  const call = await near.server.invite('+34911222333', trunkTo(server.port), '', never)
  const other = await calls[1]
  await call.bye()
  assert.equal(await other?.ended, 'hangup')
})

/** A connection, whatever becomes of it. */
async function connected(port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  sockets.push(socket)
  socket.on('error', () => {}).on('data', () => {})
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  return socket
}

const asksOver = (socket: Socket, callId: string) =>
  socket.write(
    writtenBy('OPTIONS', 1, { address: '127.0.0.1', port: 5060 })
      .replace('UDP', 'TCP')
      .replace(/Call-ID: .*/, `Call-ID: ${callId}`),
  )

async function isServed(socket: Socket, callId: string): Promise<void> {
  asksOver(socket, callId)
  for (let text = ''; !text.includes(callId);) text += String((await once(socket, 'data'))[0])
}

for (const [limits, hosts, refusedHost, servedHost] of [
  [{ connections: 3 }, ['127.0.0.1', '127.0.0.2', '127.0.0.3'], '127.0.0.4', null],
  [{ connectionsOfSource: 2 }, ['127.0.0.1', '127.0.0.1'], '127.0.0.1', '127.0.0.2'],
] as const)
  test(`a connection too many is cut (${Object.keys(limits)[0]}), open connections are served, and one that closes makes room`, async () => {
    const { server } = await run.server({ fences: () => fences, limits })
    const standing = await Promise.all(hosts.map((host) => connected(server.port, host)))
    await until(() => server.stats.connections === standing.length)
    const late = await connected(server.port, refusedHost)
    await until(() => late.destroyed)
    if (servedHost) await isServed(await connected(server.port, servedHost), 'other')
    for (const [at, socket] of standing.entries()) await isServed(socket, `standing-${at}`)
    await (await run.peer(server, refusedHost)).settle()
    const before = server.stats.connections
    standing[0]?.destroy()
    await until(() => server.stats.connections === before - 1)
    await isServed(await connected(server.port, refusedHost), 'again')
  })

test('a connection that says nothing, or a message by drops, is cut in time, and one that said a whole message stays', async () => {
  const { server } = await run.server({ fences: () => fences, timing: { messageWithinMs: 500 } })
  const [silent, dropping, whole] = [
    await connected(server.port, '127.0.0.1'),
    await connected(server.port, '127.0.0.1'),
    await connected(server.port, '127.0.0.1'),
  ]
  await isServed(whole, 'whole')
  const endless = setInterval(() => dropping.write('X'), 20)
  await until(() => silent.destroyed && dropping.destroyed)
  clearInterval(endless)
  await isServed(whole, 'still-whole')
  assert.equal(server.stats.connections, 1)
})

test('a connection whose fence is taken away is cut at its next word, be it only a sign of life', async () => {
  let allowed: SipFence[] = [openFence]
  const { server } = await run.server({ fences: () => allowed })
  const socket = await connected(server.port, '127.0.0.1')
  await isServed(socket, 'first')
  let heard = 0
  socket.on('data', (bytes) => (heard += bytes.length))
  allowed = []
  socket.write('\r\n\r\n')
  await until(() => socket.destroyed)
  assert.equal(heard, 0)
})

const flooded = { timing: { pingEveryMs: 20, t1Ms: 2, t2Ms: 4, t4Ms: 2 }, limits: { messagesPerS: 20 } }

/** A call whose far end is reached through the peer alone. */
async function standingBehind() {
  const { server, calls } = await run.answering(flooded)
  const peer = await run.peer(server)
  const headers = { Contact: '<sip:phone@192.0.2.9>', 'Record-Route': `<sip:127.0.0.1:${peer.port};lr>` }
  peer.request({ method: 'INVITE', to: ours, body: offerOf(4000), headers })
  const answer = await peer.status(200)
  peer.request({ method: 'ACK', to: ours, headers: { To: header(answer, 'to') ?? '' } })
  const call = await calls[0]
  assert.ok(call)
  return { server, call, peer }
}

for (const [whose, standing] of [
  ['far end is flooded for', () => run.standing(flooded)],
  ['far end is behind a peer in whose name a flood comes', standingBehind],
] as const)
  test(`a call whose ${whose} is not lost while its answers may be among what was dropped`, async () => {
    const { server, call, peer } = await standing()
    const flood = await Flood.from(['127.0.0.1'], server.port)
    const pings = () =>
      new Set(peer.received.filter((one) => one.cseq.method === 'OPTIONS').map((one) => one.cseq.number))
    while (pings().size < 8) await flood.send(50, (n, from) => writtenBy('OPTIONS', n, from))
    assert.equal(await Promise.race([call.ended, Promise.resolve('stands')]), 'stands')
    flood.close()
    assert.equal(await call.ended, 'lost', 'after the flood, it is')
  })
