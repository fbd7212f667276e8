import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { SipTest } from '../../testing/sip-call.ts'
import { never, offerOf, openFence, trunkTo, until } from '../../testing/sip-peer.ts'
import { header, isRequest, type SipMessage, type SipRequest, type SipResponse } from './message.ts'

const run = new SipTest()
afterEach(() => run.stop())

const fences = [openFence] // so that what belongs to no call is answered

/** An outbound call that is not answered yet. */
async function dialled(signal = never) {
  const near = await run.server({ fences: () => fences, timing: { t1Ms: 50 } })
  const far = await run.peer(near.server)
  far.isObliging = true
  const calling = near.server.invite('+34911222333', trunkTo(far.port), '+34600111222', signal)
  calling.catch(() => {})
  const invite = await far.asked('INVITE')
  const contact = `Contact: <sip:far@127.0.0.1:${far.port}>`
  const answer = (status: string, body = '', more: readonly string[] = [], tag = 'callee') =>
    far.answer(invite, status, { body, headers: [contact, ...more], tag })
  /** A report that is to be acknowledged. */
  const report = (number: number, status: string, body = '', tag = 'callee') =>
    answer(status, body, ['Require: 100rel', `RSeq: ${number}`], tag)
  /** The PRACK of a report. */
  const pracked = (number: number): Promise<SipRequest> =>
    far.find(
      (message): message is SipRequest =>
        isRequest(message) && message.method === 'PRACK' && header(message, 'rack') === `${number} 1 INVITE`,
    )
  let asked = 100
  /** Asks within the call while it rings; answers with what came back. */
  const ask = (method: string, body = '', tag = 'callee'): Promise<SipResponse> => {
    const number = (asked += 1)
    far.request({
      method,
      to: 'sip:+34600111222@127.0.0.1',
      body,
      headers: {
        'Call-ID': invite.callId,
        From: `${header(invite, 'to')};tag=${tag}`,
        To: header(invite, 'from') ?? '',
        CSeq: `${number} ${method}`,
      },
    })
    return far.find(
      (message): message is SipResponse => !isRequest(message) && message.cseq.number === number,
    )
  }
  return { near, far, calling, invite, answer, report, pracked, ask }
}

/** Each once, however often it was sent. */
const pracksOf = (received: readonly SipMessage[]): SipRequest[] => {
  const pracks = received.filter(
    (message): message is SipRequest => isRequest(message) && message.method === 'PRACK',
  )
  return [...new Map(pracks.map((prack) => [prack.via.branch, prack])).values()]
}

test('reports that are to be acknowledged are, in their order and once each, and the call counts on from there', async () => {
  const { far, calling, invite, answer, report, pracked } = await dialled()
  assert.deepEqual([header(invite, 'supported'), header(invite, 'require')], ['100rel', undefined])
  report(7, '183 Session Progress', offerOf(4000))
  const first = await pracked(7)
  assert.deepEqual([first.cseq.number, first.body, first.to.tag], [2, '', 'callee'])
  far.answer(first, '200 OK')
  report(9, '180 Ringing')
  report(7, '183 Session Progress', offerOf(4000))
  report(8, '180 Ringing')
  const second = await pracked(8)
  assert.equal(second.cseq.number, 3)
  far.answer(second, '200 OK')
  await far.caughtUp()
  assert.deepEqual(
    pracksOf(far.received).map((message) => header(message, 'rack')),
    ['7 1 INVITE', '8 1 INVITE'],
  )
  answer('200 OK')
  const call = await calling
  assert.equal(call.terms.remotePort, 4000)
  void call.bye()
  assert.equal((await far.asked('BYE')).cseq.number, 4)
})

test('each of two phones that ring is acknowledged on its own, and the one that answers is the one', async () => {
  const { far, calling, answer, report } = await dialled()
  report(1, '183 Session Progress', offerOf(4000), 'one')
  report(1, '183 Session Progress', offerOf(4002), 'two')
  await until(() => pracksOf(far.received).length >= 2)
  for (const prack of pracksOf(far.received)) far.answer(prack, '200 OK')
  assert.deepEqual(
    pracksOf(far.received)
      .map(({ to }) => to.tag)
      .toSorted(),
    ['one', 'two'],
  )
  answer('200 OK', '', [], 'two')
  assert.equal((await calling).terms.remotePort, 4002)
})

test('UPDATE before the answer moves the sound once ours is answered, and is 491 before that', async () => {
  const { far, calling, answer, report, pracked, ask } = await dialled()
  answer('180 Ringing')
  assert.equal((await ask('UPDATE', offerOf(4010))).status, 491)
  assert.equal((await ask('UPDATE')).status, 200)
  report(1, '183 Session Progress', offerOf(4000))
  far.answer(await pracked(1), '200 OK')
  const moved = await ask('UPDATE', offerOf(4012))
  assert.equal(moved.status, 200)
  assert.match(moved.body, /^m=audio 40\d+ /m)
  assert.equal((await ask('UPDATE', 'v=0')).status, 488)
  answer('200 OK')
  assert.equal((await calling).terms.remotePort, 4012)
})

test('an early description without a number is not acknowledged, and what fits nothing is answered as it deserves', async () => {
  const { near, far, calling, answer, report, ask } = await dialled()
  answer('183 Session Progress', offerOf(4000))
  for (const number of [0, -1, 1.5, 99_999_999_999]) report(number, '183 Session Progress')
  answer('183 Session Progress', '', ['Require: 100rel'])
  answer('100 Trying', '', ['Require: 100rel', 'RSeq: 1'])
  for (const [method, status] of [
    ['BYE', 200],
    ['OPTIONS', 200],
    ['PRACK', 405],
    ['INVITE', 405],
  ] as const)
    assert.equal((await ask(method)).status, status, method)
  assert.equal((await ask('OPTIONS', '', 'another')).status, 481)
  await far.caughtUp()
  assert.deepEqual(pracksOf(far.received), [])
  answer('200 OK')
  assert.equal((await calling).terms.remotePort, 4000)
  assert.deepEqual(near.sentences, [])
})

test('a phone that reports without end, or thousands that ring, cost no more than some', async () => {
  const { near, far, calling, answer, report } = await dialled()
  for (let number = 1; number <= 300; number += 1) report(number, '183 Session Progress')
  for (let phone = 0; phone < 300; phone += 1) report(1, '180 Ringing', '', `phone-${phone}`)
  await far.settle()
  await until(() => pracksOf(far.received).length > 0)
  answer('486 Busy Here')
  await assert.rejects(calling, { status: 486 })
  const racks = new Set(
    pracksOf(far.received).map((message) => `${message.to.tag} ${header(message, 'rack')}`),
  )
  assert.ok(racks.size <= 64 + 16, String(racks.size))
  assert.deepEqual(near.sentences, [])
})

test('a call that is given up while it rings is cancelled, and a request within it is 481 afterwards', async () => {
  const giveUp = new AbortController()
  const { far, calling, report, pracked, ask, answer } = await dialled(giveUp.signal)
  report(1, '183 Session Progress', offerOf(4000))
  far.answer(await pracked(1), '200 OK')
  await far.caughtUp()
  giveUp.abort()
  await assert.rejects(calling, { status: 487 })
  far.answer(await far.asked('CANCEL'), '200 OK')
  answer('487 Request Terminated')
  assert.equal((await ask('OPTIONS')).status, 481)
})
