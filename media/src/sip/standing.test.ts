import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { ours, SipTest } from '../../testing/sip-call.ts'
import { never, offerOf, openFence, trunkTo, until } from '../../testing/sip-peer.ts'
import { header, type SipMessage } from './message.ts'
import { MediaError } from '../plane.ts'
import type { MediaTerms } from '../rtp/media-terms.ts'
import type { SipFence } from './server.ts'

const run = new SipTest()
afterEach(() => run.stop())

const statusOf = (message: SipMessage) => ('status' in message ? message.status : null)

test('a far end holds the call, takes it back, and moves its sound', async () => {
  const { call, say, answered } = await run.standing()
  const told: [number, boolean][] = []
  call.onTermsChanged((terms: MediaTerms, isHeld) => told.push([terms.remotePort, isHeld]))
  const change = async (method: string, body: string, direction: string) => {
    const answer = await answered(say(method, body))
    if (method === 'INVITE') say('ACK')
    assert.equal(statusOf(answer), 200)
    assert.match(answer.body, new RegExp(`a=${direction}\r\n`))
  }
  await change('INVITE', offerOf(4000, ['a=sendonly']), 'recvonly')
  await change('INVITE', offerOf(4000, ['a=sendonly']), 'recvonly')
  await change('INVITE', offerOf(4000, ['a=inactive']), 'inactive')
  await change('INVITE', offerOf(4000), 'sendrecv')
  await change('UPDATE', offerOf(4010), 'sendrecv')
  assert.deepEqual(told, [
    [4000, true],
    [4000, false],
    [4010, false],
  ])
  assert.equal(call.terms.remotePort, 4010)
})

test('a call that begins on hold says so to its listener', async () => {
  const { server, calls } = await run.answering()
  const peer = await run.peer(server)
  peer.request({ method: 'INVITE', to: ours, body: offerOf(4000, ['a=inactive']) })
  const answer = await peer.status(200)
  peer.request({ method: 'ACK', to: ours, headers: { To: header(answer, 'to') ?? '' } })
  const call = await calls[0]
  const isHeld = await new Promise((resolve) => call?.onTermsChanged((_, held) => resolve(held)))
  assert.equal(isHeld, true)
})

test('a change that does not fit is refused, and the call stays as it was', async () => {
  const { call, say, answered, server } = await run.standing()
  const before = call.terms
  assert.equal(statusOf(await answered(say('INVITE', 'v=0'))), 488)
  say('ACK')
  assert.equal(
    statusOf(await answered(say('UPDATE', '', { 'Session-Expires': '30', Supported: 'timer' }))),
    422,
  )
  assert.equal(statusOf(await answered(say('REFER', '', { 'Refer-To': '<sip:x@y>' }))), 405)
  assert.equal(statusOf(await answered(say('NOTIFY', '', { Event: 'refer' }))), 481)
  assert.equal(statusOf(await answered(say('NOTIFY', '', { Event: 'presence' }))), 489)
  assert.equal(statusOf(await answered(say('OPTIONS'))), 200)
  assert.equal(
    statusOf(await answered(say('BYE', '', { CSeq: '1 BYE' }) && 1, (status) => status === 500)),
    500,
  )
  assert.deepEqual([call.terms, server.stats.dialogs], [before, 1])
})

test('a change without an offer is given ours, and its answer counts', async () => {
  const { call, say, answered } = await run.standing()
  const answer = await answered(say('INVITE'))
  assert.match(answer.body, /m=audio \d+ RTP\/AVP 0 101/)
  say('ACK', offerOf(4020))
  await until(() => call.terms.remotePort === 4020)
})

test('a second change waits until the first is acknowledged', async () => {
  const { say, answered } = await run.standing()
  await answered(say('INVITE', offerOf(4000, ['a=sendonly'])))
  const refused = await answered(say('INVITE', offerOf(4000)))
  assert.deepEqual([statusOf(refused), header(refused, 'retry-after')], [500, '2'])
})

test('if the caller wants us to, the call is refreshed in time, and a change of theirs just then is refused (491)', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const wanted = { 'Session-Expires': '90;refresher=uas', Supported: 'timer' }
  const { peer, say, answered, call } = await run.standing({}, wanted)
  const first = await peer.status(200)
  assert.deepEqual(
    [header(first, 'session-expires'), header(first, 'require')],
    ['90;refresher=uas', 'timer'],
  )
  context.mock.timers.tick(45_000)
  const refresh = await peer.asked('INVITE')
  assert.equal(header(refresh, 'session-expires'), '90;refresher=uac')
  assert.equal(statusOf(await answered(say('INVITE', offerOf(4000, ['a=sendonly'])))), 491)
  say('ACK')
  peer.answer(refresh, '200 OK', {
    body: offerOf(4030),
    headers: [`Contact: <sip:peer@127.0.0.1:${peer.port}>`],
  })
  await peer.asked('ACK')
  assert.equal(call.terms.remotePort, 4030)
  assert.equal(statusOf(await answered(say('INVITE', offerOf(4000)))), 200)
  say('ACK')
  context.mock.timers.reset()
})

test('a call that the caller was to refresh and did not is lost', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { peer, call, say, answered } = await run.standing(
    {},
    { 'Session-Expires': '90', Supported: 'timer' },
  )
  assert.equal(header(await peer.status(200), 'session-expires'), '90;refresher=uac')
  context.mock.timers.tick(40_000)
  await answered(say('UPDATE', '', { 'Session-Expires': '90', Supported: 'timer' }))
  context.mock.timers.tick(59_000)
  assert.equal(await Promise.race([call.ended, Promise.resolve('stands')]), 'stands')
  context.mock.timers.tick(2_000)
  assert.equal(await call.ended, 'lost')
  peer.answer(await peer.asked('BYE'), '200 OK')
  context.mock.timers.reset()
})

test('keys that come as signalling are reported, and other information is accepted and ignored', async () => {
  const { call, say, answered } = await run.standing()
  const keys: string[] = []
  call.onInfoTone((digit) => keys.push(digit))
  const sent = [
    ['Signal=5\r\nDuration=160\r\n', 'application/dtmf-relay'],
    ['Signal= #\r\nDuration= 250', 'application/dtmf-relay'],
    ['d', 'application/dtmf'],
    ['Signal=55', 'application/dtmf-relay'],
    ['<xml/>', 'application/media_control+xml'],
    ['', 'text/plain'],
  ] as const
  for (const [body, type] of sent) assert.equal(statusOf(await answered(say('INFO', body, {}, type))), 200)
  assert.deepEqual(keys, ['5', '#', 'D'])
})

test('a far end that answers nothing any more, or knows of no call, is lost', async () => {
  for (const status of [null, '481 Gone', '408 Late']) {
    const timing = { pingEveryMs: 20, t1Ms: 20, t2Ms: 40, t4Ms: 20 }
    const { peer, call, ports, server } = await run.standing({ timing })
    // Even a refusal is a sign of life.
    peer.answer(await peer.asked('OPTIONS'), '405 No')
    peer.received.length = 0
    const ping = await peer.asked('OPTIONS')
    if (status) peer.answer(ping, status)
    if (status === '408 Late')
      for (let more = 0; more < 2; more += 1) {
        peer.received.length = 0
        peer.answer(await peer.asked('OPTIONS'), status)
      }
    assert.equal(await call.ended, 'lost')
    await until(() => server.stats.dialogs === 0)
    assert.equal(ports.size, 0)
  }
})

test('a far end that answers again after it was silent twice is not lost', async () => {
  const timing = { pingEveryMs: 20, t1Ms: 20, t2Ms: 40, t4Ms: 20 }
  const { peer, call, say } = await run.standing({ timing })
  for (const status of ['408 Late', '408 Late', '200 OK', '408 Late', '408 Late', '200 OK']) {
    peer.answer(await peer.asked('OPTIONS'), status)
    peer.received.length = 0
  }
  say('BYE')
  assert.equal(await call.ended, 'hangup')
})

test('a call that has sound outlives every question that its far end leaves unanswered', async () => {
  const timing = { pingEveryMs: 20, t1Ms: 5, t2Ms: 10, t4Ms: 5 }
  const { peer, call, say } = await run.standing({ timing })
  call.tellSound('heard')
  const asked = () =>
    new Set(peer.received.filter(({ cseq }) => cseq.method === 'OPTIONS').map(({ cseq }) => cseq.number))
  await until(() => asked().size > 5)
  say('BYE')
  assert.equal(await call.ended, 'hangup')
})

test('a far end that is silent stays while it answers, and is lost once it leaves one question unanswered', async () => {
  const timing = { pingEveryMs: 60_000, t1Ms: 5, t2Ms: 10, t4Ms: 5 }
  const { peer, call } = await run.standing({ timing })
  for (let time = 0; time < 3; time += 1) {
    call.tellSound('silent') // it is asked at once
    peer.answer(await peer.asked('OPTIONS'), '200 OK')
    await peer.settle() // the answer has come
    peer.received.length = 0
    call.tellSound('heard')
  }
  call.tellSound('silent')
  await peer.asked('OPTIONS')
  assert.equal(await call.ended, 'lost')
})

test('a far end that is silent and leaves questions unanswered is not lost while it asks some itself', async () => {
  const timing = { pingEveryMs: 60_000, t1Ms: 5, t2Ms: 10, t4Ms: 5 }
  const { peer, call, say } = await run.standing({ timing })
  const asking = setInterval(() => say('OPTIONS'), 50)
  call.tellSound('silent')
  await peer.asked('OPTIONS')
  await new Promise((resolve) => setTimeout(resolve, 64 * 5 + 200))
  clearInterval(asking)
  say('BYE')
  assert.equal(await call.ended, 'hangup')
})

test('on hold, only a far end that answered before is lost by what it leaves unanswered', async () => {
  const timing = { pingEveryMs: 20, t1Ms: 5, t2Ms: 10, t4Ms: 5 }
  const mute = await run.standing({ timing })
  mute.call.tellSound('held')
  const answers = await run.standing({ timing })
  answers.peer.answer(await answers.peer.asked('OPTIONS'), '200 OK')
  answers.call.tellSound('held')
  assert.equal(await answers.call.ended, 'lost')
  mute.say('BYE')
  assert.equal(await mute.call.ended, 'hangup')
})

test('a call outlives its fence, which admits no new one', async () => {
  let fences: SipFence[] = [openFence]
  const { peer, call, say, server } = await run.standing({ fences: () => fences })
  fences = []
  peer.request({ method: 'OPTIONS', to: ours, headers: { 'Call-ID': 'new' } })
  say('BYE')
  assert.equal(await call.ended, 'hangup')
  await until(() => server.stats.dialogs === 0)
  await peer.caughtUp()
  assert.deepEqual(peer.heard.slice(-1), [200])
  assert.ok(peer.received.every((message) => message.callId !== 'new'))
})

test('a BYE is not sent before their ACK, and the server hangs up every call in progress when it stops', async () => {
  const unacknowledged = await run.answering({ timing: { t1Ms: 20 } })
  const peer = await run.peer(unacknowledged.server)
  peer.request({ method: 'INVITE', to: ours, body: offerOf(4000) })
  const answer = await peer.status(200)
  const leaving = unacknowledged.server.stop()
  await until(() => peer.heard.filter((status) => status === 200).length > 2)
  assert.ok(!peer.heard.includes('BYE'))
  peer.request({ method: 'ACK', to: ours, headers: { To: header(answer, 'to') ?? '' } })
  peer.answer(await peer.asked('BYE'), '200 OK')
  await leaving
  await assert.rejects(async () => unacknowledged.calls[0], new MediaError('the call is over'))
  const { server, calls } = await run.answering()
  const near = await run.server()
  const call = await near.server.invite('+34911222333', trunkTo(server.port), '', never)
  const other = await calls[0]
  await near.server.stop()
  assert.deepEqual(await Promise.all([call.ended, other?.ended]), ['hangup', 'hangup'])
})

test('a caller who asks while the server hangs up its calls hears that it is closed', async () => {
  const { server, peer, invites } = await run.standing()
  const late = await run.peer(server)
  const stopping = server.stop()
  const bye = await peer.asked('BYE')
  late.request({ method: 'INVITE', to: ours, body: offerOf(4000) })
  assert.equal((await late.status(100, 503)).status, 503)
  peer.answer(bye, '200 OK')
  await stopping
  assert.equal(invites.length, 1)
})
