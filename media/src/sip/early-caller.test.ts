import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { ours, SipTest } from '../../testing/sip-call.ts'
import { offerOf, openFence, until } from '../../testing/sip-peer.ts'
import { header, isRequest, type SipResponse } from './message.ts'
import type { SipOptions } from './server.ts'

const run = new SipTest()
afterEach(() => run.stop())

const fences = [openFence]
const insists = { Require: '100rel' }

/** A caller who is answered at once, or as a test says. */
async function calling(
  { body = offerOf(4000), headers = {} }: { body?: string; headers?: Record<string, string> } = {},
  options: Partial<SipOptions> = {},
) {
  const under = await run.answering({ timing: { t1Ms: 50 }, ...options })
  const peer = await run.peer(under.server)
  peer.request({ method: 'INVITE', to: ours, body, headers })
  let number = 1
  const say = (method: string, to: SipResponse, more: Record<string, string> = {}, text = '') => {
    number += 1
    const cseq = { To: header(to, 'to') ?? '', CSeq: `${number} ${method}` }
    peer.request({ method, to: ours, headers: { ...cseq, ...more }, body: text })
    return number
  }
  const answered = async (cseq: number): Promise<SipResponse> =>
    peer.find(
      (message): message is SipResponse => !isRequest(message) && message.cseq.number === cseq && cseq > 1,
    )
  /** Acknowledges a report of progress. */
  const prack = async (report: SipResponse, text = '') =>
    answered(say('PRACK', report, { RAck: `${header(report, 'rseq')} 1 INVITE` }, text))
  const ack = (answer: SipResponse) =>
    peer.request({ method: 'ACK', to: ours, headers: { To: header(answer, 'to') ?? '' } })
  return { ...under, peer, say, answered, prack, ack }
}

const reportNumber = (report: SipResponse) => Number(header(report, 'rseq'))

test('a caller who insists on reliable reports gets ringing, then our description, and is answered once both are acknowledged', async () => {
  const { peer, prack, ack, calls, server } = await calling({ headers: insists })
  const ringing = await peer.status(180)
  assert.equal(header(ringing, 'require'), '100rel')
  assert.equal((await prack(ringing)).status, 200)
  const progress = await peer.status(183)
  assert.equal(reportNumber(progress), reportNumber(ringing) + 1)
  assert.match(progress.body, /^m=audio 40\d+ RTP\/AVP /m)
  assert.equal((await prack(progress)).status, 200)
  const answer = await peer.find(
    (message): message is SipResponse =>
      !isRequest(message) && message.status === 200 && message.cseq.method === 'INVITE',
  )
  assert.deepEqual([answer.body, header(answer, 'content-type')], ['', undefined])
  ack(answer)
  const call = await calls[0]
  assert.equal(call?.terms.remotePort, 4000)
  assert.equal(server.stats.dialogs, 1)
})

test('a report is sent again until it is acknowledged, and a PRACK that names another one is 481', async () => {
  const { peer, say, answered, prack, ports } = await calling({ headers: insists })
  const ringing = await peer.status(180)
  await until(() => peer.heard.filter((status) => status === 180).length > 2)
  const number = reportNumber(ringing)
  for (const RAck of [
    `${number + 1} 1 INVITE`,
    `${number} 2 INVITE`,
    `${number} 1 BYE`,
    'x',
    '',
    '1e9 1 INVITE',
  ])
    assert.equal((await answered(say('PRACK', ringing, { RAck }))).status, 481)
  assert.equal(ports.size, 0, 'no port is taken for callers who do not prove that they are there')
  assert.equal((await prack(ringing)).status, 200)
  await peer.status(183)
  assert.equal((await prack(ringing)).status, 481, 'it is acknowledged once')
})

test('a caller who never acknowledges is refused with 504, and holds nothing', async () => {
  const { peer, prack, ports, server, invites } = await calling(
    { headers: insists },
    { timing: { t1Ms: 40 } },
  )
  assert.equal((await peer.status(504)).status, 504)
  assert.equal(ports.size, 0)
  assert.ok(invites[0]?.signal.aborted)
  assert.equal((await prack(await peer.status(180))).status, 481)
  const half = await run.peer(server)
  half.request({
    method: 'INVITE',
    to: ours,
    body: offerOf(4000),
    headers: { ...insists, 'Call-ID': 'half' },
  })
  const ringing = await half.status(180)
  half.request({
    method: 'PRACK',
    to: ours,
    headers: {
      'Call-ID': 'half',
      To: header(ringing, 'to') ?? '',
      CSeq: '2 PRACK',
      RAck: `${header(ringing, 'rseq')} 1 INVITE`,
    },
  })
  await half.status(183)
  assert.equal(ports.size, 1)
  await half.status(504)
  await until(() => ports.size === 0)
  assert.deepEqual([server.stats.ringing, server.stats.dialogs], [0, 0])
})

test('a caller who offers nothing is offered our sound while it rings, and answers in the PRACK', async () => {
  const { peer, prack, ack, calls } = await calling({ body: '', headers: insists })
  await prack(await peer.status(180))
  assert.equal((await prack(await peer.status(183), offerOf(4008))).status, 200)
  const answer = await peer.find(
    (message): message is SipResponse =>
      !isRequest(message) && message.status === 200 && message.cseq.method === 'INVITE',
  )
  assert.equal(answer.body, '')
  ack(answer)
  assert.equal((await calls[0])?.terms.remotePort, 4008)
})

test('an answer in the PRACK that does not fit ends the call before it is answered', async () => {
  const { peer, prack, ports } = await calling({ body: '', headers: insists })
  await prack(await peer.status(180))
  assert.equal((await prack(await peer.status(183), 'v=0')).status, 488)
  const refused = await peer.find(
    (message): message is SipResponse =>
      !isRequest(message) && message.cseq.method === 'INVITE' && message.status >= 200,
  )
  assert.equal(refused.status, 488)
  await until(() => ports.size === 0)
})

test('UPDATE before the answer moves the sound; before our own answer it is told to wait, and 491 if ours is the open offer', async () => {
  const { peer, say, answered, prack, ack, calls } = await calling({ headers: insists })
  const ringing = await peer.status(180)
  const early = await answered(say('UPDATE', ringing, {}, offerOf(4010)))
  assert.deepEqual([early.status, header(early, 'retry-after')], [500, '2'])
  assert.equal((await answered(say('UPDATE', ringing))).status, 200)
  await prack(ringing)
  const progress = await peer.status(183)
  const moved = await answered(say('UPDATE', progress, {}, offerOf(4012)))
  assert.equal(moved.status, 200)
  assert.match(moved.body, /^m=audio 40\d+ /m)
  const wrong = await answered(say('UPDATE', progress, {}, 'v=0'))
  assert.equal(wrong.status, 488)
  await prack(progress)
  const answer = await peer.find(
    (message): message is SipResponse =>
      !isRequest(message) && message.status === 200 && message.cseq.method === 'INVITE',
  )
  ack(answer)
  assert.equal((await calls[0])?.terms.remotePort, 4012)

  const late = await calling({ body: '', headers: insists })
  await late.prack(await late.peer.status(180))
  const offered = await late.peer.status(183)
  assert.equal((await late.answered(late.say('UPDATE', offered, {}, offerOf(4014)))).status, 491)
})

test('a BYE before the answer is 200, the INVITE 487, and nothing is answered afterwards', async () => {
  for (const headers of [{}, insists]) {
    let proceed = () => {}
    const held = new Promise<void>((resolve) => (proceed = resolve))
    const under = await run.server({ fences: () => fences, timing: { t1Ms: 50 } }, (invite) => {
      invite.ring()
      void held.then(() => invite.accept()).catch(() => {})
    })
    const peer = await run.peer(under.server)
    peer.request({ method: 'INVITE', to: ours, body: offerOf(4000), headers })
    const ringing = await peer.status(180)
    peer.request({
      method: 'BYE',
      to: ours,
      headers: { To: header(ringing, 'to') ?? '', CSeq: '2 BYE' },
    })
    const answered = await peer.find((message) => message.cseq.method === 'BYE')
    assert.equal('status' in answered && answered.status, 200)
    const ended = await peer.status(487)
    assert.equal(ended.cseq.method, 'INVITE')
    peer.request({ method: 'ACK', to: ours, headers: { To: header(ended, 'to') ?? '' } })
    proceed()
    await peer.settle()
    assert.ok(under.invites[0]?.signal.aborted)
    assert.ok(
      !peer.received.some(
        (message) => 'status' in message && message.status === 200 && message.cseq.method === 'INVITE',
      ),
    )
    assert.deepEqual([under.ports.size, under.server.stats.ringing, under.server.stats.dialogs], [0, 0, 0])
    peer.request({ method: 'BYE', to: ours, headers: { To: header(ringing, 'to') ?? '', CSeq: '3 BYE' } })
    await peer.status(481)
  }
})

test('whatever else a caller sends before the answer is answered as it deserves, and the call goes on', async () => {
  const under = await run.server({ fences: () => fences, timing: { t1Ms: 50 } }, (invite) => invite.ring())
  const peer = await run.peer(under.server)
  peer.request({ method: 'INVITE', to: ours, body: offerOf(4000), headers: { Supported: '100rel' } })
  const ringing = await peer.status(180)
  assert.equal(header(ringing, 'require'), undefined, 'a caller who only could is not asked to')
  let number = 1
  for (const [method, more, status] of [
    ['PRACK', { RAck: '1 1 INVITE' }, 481],
    ['OPTIONS', {}, 200],
    ['INFO', {}, 200],
    ['INVITE', {}, 500],
    ['NOTIFY', {}, 405],
    ['UPDATE', { Require: 'precondition' }, 420],
  ] as const) {
    number += 1
    const cseq = `${number} ${method}`
    peer.request({ method, to: ours, headers: { To: header(ringing, 'to') ?? '', CSeq: cseq, ...more } })
    const answered = await peer.find((message) => 'status' in message && message.cseq.number === number)
    assert.equal('status' in answered && answered.status, status, method)
  }
  assert.deepEqual(under.sentences, [])
  assert.equal(under.server.stats.ringing, 1)
})

test('a flood of PRACKs and UPDATEs while it rings allocates no more than the limits allow', async () => {
  const under = await run.server({ fences: () => fences, timing: { t1Ms: 50 } }, (invite) => invite.ring())
  const peer = await run.peer(under.server)
  peer.request({ method: 'INVITE', to: ours, body: offerOf(4000), headers: insists })
  const To = header(await peer.status(180), 'to') ?? ''
  for (let number = 2; number < 402; number += 1) {
    const method = number % 2 === 0 ? 'PRACK' : 'UPDATE'
    const headers = { To, CSeq: `${number} ${method}`, RAck: `${number} 1 INVITE` }
    peer.request({ method, to: ours, headers, body: method === 'UPDATE' ? offerOf(number * 2) : '' })
  }
  await peer.settle()
  assert.ok(under.server.stats.transactions <= 300)
  assert.equal(under.server.stats.ringing, 1)
  assert.deepEqual(under.sentences, [])
})

test('callers who never acknowledge keep no place from one who does', async () => {
  const limits = { ringingOfSource: 8, unacknowledgedOfSource: 4 }
  const under = await run.answering({ limits, timing: { t1Ms: 500 } })
  const peer = await run.peer(under.server)
  for (let nth = 0; nth < 20; nth += 1) {
    const headers = { ...insists, 'Call-ID': `forged-${nth}` }
    peer.request({ method: 'INVITE', to: ours, body: offerOf(4000), headers })
    await peer.find(({ callId }) => callId === `forged-${nth}`)
  }
  await peer.settle()
  const statuses = peer.received.flatMap((message) => (isRequest(message) ? [] : [message.status]))
  assert.ok(!statuses.includes(503))
  assert.ok(statuses.filter((status) => status === 504).length >= 16)
  assert.deepEqual([under.server.stats.ringing, under.ports.size], [4, 0])
  const headers = { ...insists, 'Call-ID': 'true' }
  peer.request({ method: 'INVITE', to: ours, body: offerOf(4000), headers })
  const ringing = await peer.find(
    (message): message is SipResponse =>
      !isRequest(message) && message.callId === 'true' && message.status === 180,
  )
  peer.request({
    method: 'PRACK',
    to: ours,
    headers: {
      'Call-ID': 'true',
      To: header(ringing, 'to') ?? '',
      CSeq: '2 PRACK',
      RAck: `${header(ringing, 'rseq')} 1 INVITE`,
    },
  })
  await peer.status(183)
})
