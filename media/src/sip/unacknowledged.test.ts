import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { ours, SipTest } from '../../testing/sip-call.ts'
import { Flood, heldMb, writtenBy } from '../../testing/sip-flood.ts'
import { never, offerOf, openFence, trunkTo, until } from '../../testing/sip-peer.ts'
import { MediaError } from '../plane.ts'
import type { SipOptions } from './server.ts'

const run = new SipTest()
afterEach(() => run.stop())

const fences = [openFence]
const unacknowledged = new MediaError('the caller did not acknowledge the answer')

/** A server that answers every call, and what became of each. */
async function answering(options: Partial<SipOptions> = {}) {
  const outcomes: unknown[] = []
  const under = await run.server({ fences: () => fences, ...options }, (invite) => {
    void invite.accept().then(
      (call) => outcomes.push(call.terms.remotePort),
      (error: unknown) => outcomes.push(error),
    )
  })
  return { ...under, outcomes }
}

const sources = Array.from({ length: 40 }, (_, at) => `127.0.9.${at + 1}`)

test('calls that are never acknowledged begin nothing, stay few, and an honest one among them is answered', async (t) => {
  const limits = { unacknowledgedOfSource: 5, unacknowledged: 50 }
  const { server, outcomes, ports, invites } = await answering({ limits })
  const before = heldMb()
  const flood = await Flood.from(sources, server.port)
  t.after(() => flood.close())
  await flood.send(1_500, (n, from) => writtenBy('INVITE', n, from, offerOf(4000)))
  const { unacknowledged: waiting, dialogs, transactions } = server.stats
  assert.ok(waiting <= 50 && waiting > 0, `${waiting} wait for an ACK`)
  assert.ok(dialogs <= 50 && transactions <= 60, `${dialogs} calls, ${transactions} transactions`)
  assert.ok(ports.size <= 50, `${ports.size} ports`)
  assert.deepEqual(new Set(outcomes.map(String)), new Set([String(unacknowledged)]))
  outcomes.length = invites.length = 0 // what the test itself keeps
  assert.ok(heldMb() - before < 10)

  const near = await run.server()
  const call = await near.server.invite('+34911222333', trunkTo(server.port), '', never)
  await until(() => outcomes.includes(call.terms.localPort))
})

test('an answer without an ACK is repeated, then given up with a BYE, and leaves nothing', async () => {
  const { server, outcomes, ports } = await answering({ timing: { t1Ms: 5, t2Ms: 10, pingEveryMs: 20 } })
  const peer = await run.peer(server)
  peer.isObliging = true
  peer.request({ method: 'INVITE', to: ours, body: offerOf(4000) })
  await peer.asked('BYE')
  assert.ok(peer.heard.filter((status) => status === 200).length > 5)
  assert.ok(!peer.heard.includes('OPTIONS')) // it is not asked whether it is there
  assert.deepEqual(outcomes, [unacknowledged])
  await until(() => server.stats.dialogs === 0)
  assert.deepEqual([server.stats.unacknowledged, ports.size], [0, 0])
})

test('past the limit of a source its own oldest makes room, and no other source’s', async () => {
  const { server, outcomes } = await answering({ limits: { unacknowledgedOfSource: 1 } })
  const [honest, mad] = [await run.peer(server, '127.0.0.2'), await run.peer(server)]
  const ask = (peer: typeof honest, callId: string) =>
    peer.request({ method: 'INVITE', to: ours, body: offerOf(4002), headers: { 'Call-ID': callId } })
  ask(honest, 'honest')
  const answer = await honest.status(200)
  for (const callId of ['one', 'two', 'three']) ask(mad, callId)
  await mad.settle()
  await mad.asked('BYE')
  assert.deepEqual(outcomes, [unacknowledged, unacknowledged])
  assert.equal(server.stats.unacknowledged, 2)
  const to = answer.headers.find(([name]) => name === 'to')?.[1] ?? ''
  honest.request({ method: 'ACK', to: ours, headers: { To: to, 'Call-ID': 'honest' } })
  await until(() => outcomes.length === 3)
  assert.equal(outcomes[2], 4002)
})

test('if calls that are never acknowledged keep every port, the next caller gets one of their ports', async () => {
  const free = [40_100, 40_102]
  const { server, outcomes } = await answering({
    allocatePort: () => {
      const port = free.pop()
      if (port === undefined) throw new MediaError('every port for sound is taken')
      return port
    },
    releasePort: (port) => void free.push(port),
  })
  const mad = await run.peer(server)
  for (const callId of ['one', 'two'])
    mad.request({ method: 'INVITE', to: ours, body: offerOf(4000), headers: { 'Call-ID': callId } })
  await until(() => server.stats.unacknowledged === 2)
  const near = await run.server()
  const call = await near.server.invite('+34911222333', trunkTo(server.port), '', never)
  await until(() => outcomes.includes(call.terms.localPort))
})
