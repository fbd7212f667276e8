import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { ours, SipTest } from '../../testing/sip-call.ts'
import { offerOf, openFence, type SipPeer, until } from '../../testing/sip-peer.ts'
import { MediaError } from '../plane.ts'
import type { MediaTerms } from '../rtp/media-terms.ts'
import { header, type SipResponse } from './message.ts'

const run = new SipTest()
afterEach(() => run.stop())

const fences = [openFence]

/** A call that rings. */
async function ringing(body = offerOf(4000)) {
  const under = await run.server({ fences: () => fences, timing: { t1Ms: 20 } })
  const caller = await run.peer(under.server)
  caller.isObliging = true
  const headers = body.trim() === '' ? { 'Content-Type': 'application/sdp' } : {}
  caller.request({ method: 'INVITE', to: ours, body, headers })
  await caller.status(100)
  const [invite] = under.invites
  assert.ok(invite)
  return { ...under, caller, invite }
}

const acknowledging = (answer: Parameters<typeof header>[0], body = '') => ({
  method: 'ACK',
  to: ours,
  headers: { To: header(answer, 'to') ?? '' },
  body,
})

/** The 200 of the INVITE, which others may have come before. */
const answerTo = (caller: SipPeer) =>
  caller.find(
    (message): message is SipResponse =>
      'status' in message && message.status === 200 && message.cseq.method === 'INVITE',
  )

test('the sound is prepared in the terms of the call before the caller hears that they are answered', async () => {
  const { caller, invite, ports } = await ringing(offerOf(4000, ['a=ptime:40']))
  const prepared = Promise.withResolvers<void>()
  const asked: MediaTerms[] = []
  const accepted = invite.accept((terms) => {
    asked.push(terms)
    return prepared.promise
  })
  await caller.settle()
  const isAnswered = caller.received.some(({ cseq, ...more }) => {
    return 'status' in more && more.status === 200 && cseq.method === 'INVITE'
  })
  assert.equal(isAnswered, false)
  prepared.resolve()
  caller.request(acknowledging(await answerTo(caller)))
  const call = await accepted
  assert.deepEqual(asked, [call.terms])
  assert.deepEqual(
    [call.terms.remotePort, call.terms.ptimeMs, [...ports]],
    [4000, 40, [call.terms.localPort]],
  )
  await assert.rejects(invite.accept(), new MediaError('the call is answered already'))
})

test('if a port cannot be had another one is offered, and after three the caller is refused', async () => {
  const { caller, invite, ports } = await ringing()
  const tried: number[] = []
  const accepted = invite.accept(async ({ localPort }) => {
    tried.push(localPort)
    if (tried.length < 3) throw new MediaError('it is taken')
  })
  const answer = await caller.status(200)
  caller.request(acknowledging(answer))
  const call = await accepted
  assert.equal(new Set(tried).size, 3)
  assert.deepEqual([[...ports], call.terms.localPort], [tried.slice(2), tried[2]])
  assert.match(answer.body, new RegExp(`m=audio ${tried[2]} `))

  const hopeless = await ringing()
  let times = 0
  const taken = () => {
    times += 1
    return Promise.reject(new MediaError('it is taken'))
  }
  await assert.rejects(hopeless.invite.accept(taken), new MediaError('it is taken'))
  await hopeless.caller.status(503)
  assert.deepEqual([times, hopeless.ports.size], [3, 0])
})

test('if no process prepares the audio the caller is refused at once, and its port is free', async () => {
  const { caller, invite, ports, server } = await ringing()
  let times = 0
  const gone = () => {
    times += 1
    return Promise.reject(new Error('it is gone'))
  }
  await assert.rejects(invite.accept(gone), new Error('it is gone'))
  await caller.status(503)
  assert.deepEqual([times, ports.size, server.stats.ringing, server.stats.dialogs], [1, 0, 0, 0])
})

test('a caller who gives up while the sound is prepared is not answered, and its port is free', async () => {
  const { caller, invite, ports, server } = await ringing()
  const prepared = Promise.withResolvers<void>()
  const accepted = invite.accept(() => prepared.promise)
  const begun = header(await caller.status(100), 'via') ?? ''
  const branch = /branch=([^;]+)/.exec(begun)?.[1] ?? ''
  const via = `SIP/2.0/UDP 127.0.0.1:${caller.port};rport;branch=${branch}`
  caller.request({ method: 'CANCEL', to: ours, headers: { Via: via } })
  await caller.status(487)
  prepared.resolve()
  await assert.rejects(accepted, new MediaError('the caller gave up'))
  assert.deepEqual([ports.size, server.stats.dialogs], [0, 0])
})

test('a call without an offer is prepared for as we would offer it and sends nowhere, and a blank body is no offer', async () => {
  const { caller, invite } = await ringing('\r\n')
  const asked: MediaTerms[] = []
  const accepted = invite.accept(async (terms) => void asked.push(terms))
  const answer = await caller.status(200)
  assert.match(answer.body, /m=audio \d+ RTP\/AVP 0 8 9 111 101 102 13/)
  caller.request(acknowledging(answer, offerOf(4444)))
  const call = await accepted
  assert.deepEqual([call.terms.remoteAddress, call.terms.remotePort], ['127.0.0.1', 4444])
  const { localPort, localAddress } = call.terms
  const { remotePort: _, ...expected } = asked[0] ?? { remotePort: 0 }
  assert.deepEqual(expected, {
    localPort,
    localAddress,
    remoteAddress: '0.0.0.0',
    signalledFrom: '127.0.0.1',
    codec: 'PCMU',
    payloadType: 0,
    tonePayloadType: 101,
    comfortPayloadType: 13,
    ptimeMs: 20,
  })
})

const overIpv6 = offerOf(4000).replaceAll('IP4 127.0.0.1', 'IP6 2001:db8::7')

test('sound that would go over IPv6 is refused with a sentence, in a call and before one', async () => {
  const why = `399 switchroom "the far end's SDP does not fit: its sound is at an IPv6 address, and ours is not: offer an IPv4 address in c="`
  const under = await run.server({ fences: () => fences })
  const caller = await run.peer(under.server)
  caller.request({ method: 'INVITE', to: ours, body: overIpv6 })
  assert.equal(header(await caller.status(488), 'warning'), why)
  assert.deepEqual([under.invites.length, under.sentences], [0, []])

  const { say, answered, call } = await run.standing()
  const refused = await answered(say('INVITE', overIpv6))
  assert.equal(header(refused, 'warning'), why)
  say('ACK')
  assert.equal(call.terms.remotePort, 4000)
})

test('within a call too, what insists on something unknown is refused with what that is', async () => {
  const { say, answered, call } = await run.standing()
  const refused = await answered(say('INVITE', offerOf(4010), { Require: 'precondition' }))
  assert.deepEqual(
    ['status' in refused && refused.status, header(refused, 'unsupported')],
    [420, 'precondition'],
  )
  say('ACK')
  assert.equal(call.terms.remotePort, 4000)
})

test('a far end that only listens says so', async () => {
  const { call, say, answered } = await run.standing()
  const told: boolean[] = []
  call.onTermsChanged((_, isHeld) => told.push(isHeld))
  await answered(say('UPDATE', offerOf(4000, ['a=recvonly'])))
  await until(() => told.length > 0)
  assert.deepEqual([call.terms.onlyListens, told], [true, [false]])
})

test('a refresh that is only ever tried does not hold up the call: it is lost in time', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const wanted = { 'Session-Expires': '90;refresher=uas', Supported: 'timer' }
  const { peer, call } = await run.standing({}, wanted)
  context.mock.timers.tick(45_000)
  peer.answer(await peer.asked('INVITE'), '100 Trying')
  await peer.settle()
  context.mock.timers.tick(64 * 50)
  assert.equal(await call.ended, 'lost')
  peer.answer(await peer.asked('BYE'), '200 OK')
  context.mock.timers.reset()
})
