import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import dns from 'node:dns/promises'
import { once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { createServer } from 'node:net'
import { afterEach, test } from 'node:test'
import { ours, SipTest } from '../../testing/sip-call.ts'
import { writtenBy } from '../../testing/sip-flood.ts'
import { never, offerOf, trunkTo } from '../../testing/sip-peer.ts'
import { DialogState } from './dialog-state.ts'
import { usualLimits } from './limits.ts'
import { isRequest } from './message.ts'
import { parseMessage } from './parser.ts'
import { SipStack } from './stack.ts'
import { usualTiming } from './timing.ts'

const run = new SipTest()
afterEach(() => run.stop())

const [to, from] = ['+34911222333', '+34600111222']

test('a trunk whose name resolves to an address that may not be dialled is not dialled, and nothing is sent there', async () => {
  const asked: string[] = []
  const near = await run.server({ mayDial: (address) => asked.push(address) < 0 })
  const inside = await run.peer(near.server)
  for (const host of ['127.0.0.1', 'localhost', '127.1', '2130706433', '0x7f000001'])
    await assert.rejects(
      near.server.invite(to, { ...trunkTo(0), hostname: `${host}:${inside.port}` }, from, never),
      { name: 'MediaError', message: `${host} is at an address that may not be dialled` },
    )
  assert.deepEqual(new Set(asked), new Set(['127.0.0.1']))
  await inside.caughtUp()
  assert.deepEqual([inside.heard, near.ports.size], [[], 0])
  const door = createServer(() => assert.fail('no connection may come')).listen(0, '127.0.0.1')
  await once(door, 'listening')
  const address = door.address()
  assert.ok(address && typeof address === 'object')
  for (const transport of ['tcp', 'tls'] as const)
    await assert.rejects(near.server.invite(to, trunkTo(address.port, transport), from, never), {
      message: '127.0.0.1 is at an address that may not be dialled',
    })
  door.close()
})

test('a far end that may be dialled sends us nowhere that may not, neither with requests nor with sound', async () => {
  const near = await run.server({ mayDial: (address) => address === '127.0.0.1' })
  const [far, inside] = [await run.peer(near.server), await run.peer(near.server, '127.0.0.7')]
  const elsewhere = `sip:x@127.0.0.7:${inside.port}`
  for (const headers of [
    [`Contact: <${elsewhere}>`],
    [`Contact: <sip:far@127.0.0.1:${far.port}>`, `Record-Route: <${elsewhere};lr>`],
  ]) {
    far.received.length = 0
    const calling = near.server.invite(to, trunkTo(far.port), from, never)
    far.answer(await far.asked('INVITE'), '200 OK', { body: offerOf(4000, [], '127.0.0.7'), headers })
    const call = await calling
    assert.deepEqual([call.terms.remoteAddress, call.terms.remotePort], ['127.0.0.1', 4000])
    await far.asked('ACK')
    const leaving = call.bye()
    far.answer(await far.asked('BYE'), '200 OK')
    await leaving
  }
  await inside.caughtUp()
  assert.deepEqual(inside.heard, [])
})

test('a caller that may not be dialled is answered where it called from, and its sound goes there', async () => {
  const { call, peer, server } = await run.standing({ mayDial: () => false })
  assert.equal(call.terms.remoteAddress, '127.0.0.1')
  const leaving = call.bye()
  peer.answer(await peer.asked('BYE'), '200 OK')
  await leaving
  assert.equal(server.stats.dialogs, 0)
})

test('of the addresses that a name resolves to, only those are dialled that may be', async (context) => {
  const near = await run.server({ mayDial: (address) => address === '127.0.0.1' })
  const far = await run.peer(near.server)
  const inside = createSocket('udp4').bind(far.port, '127.0.0.8')
  await once(inside, 'listening')
  let heard = 0
  inside.on('message', () => heard++)
  const found = ['127.0.0.8', '127.0.0.1'].map((address) => ({ address, family: 4 }))
  context.mock.method(dns, 'lookup', () => Promise.resolve(found))
  syncBuiltinESMExports()
  try {
    const trunk = { ...trunkTo(0), hostname: `carrier.example:${far.port}` }
    const calling = near.server.invite(to, trunk, from, never)
    far.answer(await far.asked('INVITE'), '603 Decline')
    await assert.rejects(calling, { status: 603 })
    assert.equal(heard, 0)
  } finally {
    context.mock.reset()
    syncBuiltinESMExports()
    inside.close()
  }
})

test('a caller that may not be dialled is reached at another port of its own address', async () => {
  const { server, calls } = await run.answering({ mayDial: () => false })
  const [peer, other] = [await run.peer(server), await run.peer(server)]
  const headers = { Contact: `<sip:peer@127.0.0.1:${other.port}>` }
  peer.request({ method: 'INVITE', to: ours, body: offerOf(4000), headers })
  const { headers: answered } = await peer.status(200)
  const tagged = answered.find(([name]) => name === 'to')?.[1] ?? ''
  peer.request({ method: 'ACK', to: ours, headers: { To: tagged } })
  const leaving = (await calls[0])?.bye()
  other.answer(await other.asked('BYE'), '200 OK')
  await leaving
})

test('a far end that says it is at a private address is believed only if it was found in the same kind of network', () => {
  const request = parseMessage(Buffer.from(writtenBy('INVITE', 1, { address: '203.0.113.5', port: 5060 })))
  assert.ok(isRequest(request))
  const reached = (address: string, foundAt: string, mayDial = true) => {
    const stack = new SipStack({
      host: '127.0.0.1',
      publicAddress: '127.0.0.1',
      publicAddress6: null,
      allocatePort: () => 0,
      releasePort: () => {},
      timing: usualTiming,
      limits: usualLimits,
      mayDial: () => mayDial,
      log: () => {},
    })
    const flow = { transport: 'udp', isReliable: false, isOpen: true, address: foundAt, port: 5060 } as const
    const unsaid = { localPort: 5060, name: '', failure: null, send: () => {}, onClosed: () => () => {} }
    const way = { ...flow, ...unsaid, at: () => way }
    return DialogState.ofCaller(stack, request, way, 'tag', '').isWithinReach(address)
  }
  for (const near of ['10.0.0.1', '127.0.0.1', '192.168.1.1', '172.16.0.1', '169.254.169.254', '100.64.0.1'])
    assert.equal(reached(near, '203.0.113.5'), false, near)
  assert.equal(reached('198.51.100.7', '203.0.113.5'), true)
  assert.equal(reached('198.51.100.7', '203.0.113.5', false), false)
  assert.equal(reached('203.0.113.5', '203.0.113.5', false), true)
  assert.equal(reached('10.0.0.9', '10.0.0.1'), true)
  assert.equal(reached('127.0.0.1', '10.0.0.1'), false)
})
