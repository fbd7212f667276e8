import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { afterEach, test } from 'node:test'
import { ours, SipTest } from '../../testing/sip-call.ts'
import { refusedCorpus, tolerated, tornCorpus } from '../../testing/sip-corpus.ts'
import { Flood, heldMb, mutated, seeded, writtenBy } from '../../testing/sip-flood.ts'
import { never, offerOf, openFence, trunkTo, until } from '../../testing/sip-peer.ts'
import { usualLimits } from './limits.ts'
import type { Timing } from './timing.ts'

const run = new SipTest()
afterEach(() => run.stop())

const corpus = [...Object.values(tolerated), ...Object.values(refusedCorpus), ...Object.values(tornCorpus)]

/** A server that answers no call but this one, which is probed all the time. */
async function amid(more: Partial<Timing> = {}) {
  const fences = [
    openFence,
    { ...openFence, name: 'call', networks: ['127.0.0.1'], numbers: ['+34911222444'] },
  ]
  const timing = { t1Ms: 20, t2Ms: 200, t4Ms: 20, ringMs: 200, ...more }
  const narrow = fences.map((fence) => ({ ...fence, networks: ['127.0.0.1', '127.1.0.0/16'] }))
  const under = await run.server({ fences: () => narrow, timing }, (invite) => {
    if (invite.number === '+34911222444') void invite.accept().catch(() => {})
  })
  const near = await run.server({ timing: { pingEveryMs: 50, t1Ms: 50, t2Ms: 200 } })
  const call = await near.server.invite('+34911222444', trunkTo(under.server.port), '+34600111222', never)
  const stands = async () => {
    assert.equal(await Promise.race([call.ended, Promise.resolve('stands')]), 'stands')
    assert.deepEqual([under.server.stats.dialogs, near.server.stats.dialogs], [1, 1])
    const friend = await run.peer(under.server)
    await friend.settle()
    assert.deepEqual([...under.sentences, ...near.sentences], [])
  }
  return { ...under, stands, near }
}

test('a flood from outside of every fence is answered with nothing, held nowhere, and harms no call', async () => {
  const { server, invites, stands } = await amid()
  const outside = await Flood.from(['127.9.0.1', '127.9.0.2', '127.2.0.1', '127.0.0.2'], server.port)
  const methods = ['INVITE', 'OPTIONS', 'REGISTER', 'BYE', 'CANCEL', 'SUBSCRIBE', 'ACK']
  const round = async () => {
    await outside.send(
      20_000,
      (n, from) => corpus[n % (corpus.length * 2)] ?? writtenBy(methods[n % 7] ?? '', n, from, offerOf(4000)),
    )
    await stands()
  }
  await round()
  const before = heldMb()
  for (let rounds = 0; rounds < 3; rounds++) await round()
  const grown = heldMb() - before
  outside.close()
  assert.deepEqual([...outside.heard], [])
  assert.ok(server.stats.refused > 20_000, `${server.stats.refused} arrived`)
  assert.deepEqual([invites.length, server.stats.ringing, server.stats.malformed], [1, 0, 0])
  assert.ok(grown < 4, `the heap grew by ${grown.toFixed(1)} MB`)
})

test('a flood from inside a fence is limited by its source, held to a bound, and harms no call', async () => {
  const { server, stands, invites } = await amid()
  const addresses = Array.from({ length: 4 }, (_, n) => `127.1.${n}.1`)
  const inside = await Flood.from(addresses, server.port)
  const round = async () => {
    await inside.send(8_000, (n, from) => writtenBy('INVITE', n, from, offerOf(4000)))
    await stands()
    await until(() => server.stats.ringing === 0 && server.stats.transactions < 100)
    // The test holds every call that it received; the server does not.
    invites.length = 0
  }
  await round()
  const before = heldMb()
  for (let rounds = 0; rounds < 2; rounds++) await round()
  const grown = heldMb() - before
  inside.close()
  assert.ok(server.stats.limited > 1_000, `${server.stats.limited} were too many`)
  assert.ok(grown < 6, `the heap grew by ${grown.toFixed(1)} MB`)
})

test('no more calls ring at once than there is room for', async () => {
  const { server, stands } = await amid({ ringMs: 60_000 })
  const addresses = Array.from({ length: 20 }, (_, n) => `127.1.2.${n + 1}`)
  const inside = await Flood.from(addresses, server.port)
  await inside.send(usualLimits.ringing + 200, (n, from) => writtenBy('INVITE', n, from, offerOf(4000)))
  await stands()
  assert.equal(server.stats.ringing, usualLimits.ringing)
  inside.close()
})

test('one source that asks too much is not heard, while others are', async () => {
  const { server, invites, stands } = await amid()
  const inside = await Flood.from(['127.1.0.1'], server.port)
  await inside.send(5_000, (n, from) => writtenBy('INVITE', n, from, offerOf(4000)))
  await stands()
  inside.close()
  const most = usualLimits.newRequestsPerS * 2 + usualLimits.newRequestsPerS * 10
  assert.ok(invites.length < most, `${invites.length} got through`)
})

test('messages changed at random from a fenced source neither throw nor harm a call', async () => {
  const { server, stands } = await amid()
  const addresses = Array.from({ length: 30 }, (_, n) => `127.1.1.${n + 1}`)
  const inside = await Flood.from(addresses, server.port)
  const random = seeded(4_475)
  const texts = corpus.filter((message) => typeof message === 'string' && message.length < 3_000) as string[]
  await inside.send(8_000, (n, from) => {
    const text =
      n % 2 === 0
        ? (texts[n % texts.length] ?? '')
        : writtenBy('INVITE', n, from, offerOf(4000, ['a=sendonly']))
    return mutated(text, random)
  })
  await stands()
  inside.close()
  assert.ok(server.stats.malformed > 100)
})

test('SDP bombs from a fenced source are refused at once', async () => {
  const { server, stands, ports } = await amid()
  const bombs = [
    offerOf(
      4000,
      Array.from({ length: 1_400 }, () => 'm=audio 1 RTP/AVP 0'),
    ),
    offerOf(
      4000,
      Array.from({ length: 500 }, (_, n) => `a=rtpmap:${n} PCMU/8000`),
    ),
    offerOf(4000, [`a=fmtp:0 ${'a;'.repeat(15_000)}`]),
    offerOf(4000, [`a=candidate:${'1 '.repeat(8_000)}`]),
    offerOf(4000).replace('0 8 101', '0 '.repeat(7_000)),
    `v=0\r\n${'a='.repeat(16_000)}`,
    'm='.repeat(16_000),
  ]
  const startedMs = performance.now()
  const peer = await run.peer(server)
  for (const [at, body] of bombs.entries()) {
    const callId = `bomb-${at}`
    peer.request({ method: 'INVITE', to: ours, body, headers: { 'Call-ID': callId } })
    await peer.find((message) => message.callId === callId)
  }
  assert.ok(performance.now() - startedMs < 2_000)
  await stands()
  assert.equal(ports.size, 1)
})

test('connections that say too little, too much or nothing are cut, and there are never too many', async () => {
  const { server, stands } = await amid()
  const open = (bytes: string): Promise<Socket> =>
    new Promise((resolve) => {
      const socket = connect({ port: server.port, host: '127.0.0.1', localAddress: '127.1.0.7' })
      socket.on('error', () => {}).on('data', () => {})
      socket.once('connect', () => {
        if (bytes !== '') socket.write(bytes)
        resolve(socket)
      })
      socket.once('close', () => resolve(socket))
    })
  const isCut = (socket: Socket) => until(() => socket.destroyed)
  const endless = `INVITE sip:a@b SIP/2.0\r\n${'X: y\r\n'.repeat(20_000)}`
  for (const bytes of ['GET / HTTP/1.1\r\n\r\n', endless, String(Object.values(tornCorpus)[1]).repeat(300)])
    await isCut(await open(bytes))
  const sockets = await Promise.all(
    Array.from({ length: usualLimits.connectionsOfSource + 20 }, () => open('INV')),
  )
  await until(() => sockets.filter((socket) => socket.destroyed).length === 20)
  assert.equal(server.stats.connections, usualLimits.connectionsOfSource)
  await stands()
  for (const socket of sockets) socket.destroy()
  await until(() => server.stats.connections === 0)
})
