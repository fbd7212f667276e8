import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { afterEach, test } from 'node:test'
import { ours, SipTest } from '../../testing/sip-call.ts'
import { offerOf, openFence, until, type Written } from '../../testing/sip-peer.ts'
import { MediaError } from '../plane.ts'
import { answerChallenge } from './digest.ts'
import { header, headersOf } from './message.ts'
import type { IncomingInvite, SipOptions } from './server.ts'

const run = new SipTest()
afterEach(() => run.stop())

const narrow = [{ ...openFence, networks: ['127.0.0.1'] }]

async function started(options: Partial<SipOptions> = {}, onInvite?: (invite: IncomingInvite) => void) {
  const under = await run.server({ fences: () => narrow, ...options }, onInvite)
  return { ...under, peer: (address?: string) => run.peer(under.server, address) }
}

const invite = (more: Partial<Written> = {}): Written => ({
  method: 'INVITE',
  to: ours,
  body: offerOf(4000),
  ...more,
})

test('a source that no fence lists hears nothing, whatever it says', async () => {
  const { server, peer, invites } = await started()
  const stranger = await peer('127.0.0.9')
  const friend = await peer()
  for (const method of ['OPTIONS', 'INVITE', 'REGISTER', 'BYE', 'CANCEL', 'SUBSCRIBE', 'NONSENSE'])
    stranger.request({ method, to: ours, body: offerOf(4000) })
  stranger.request({ method: 'BYE', to: ours, headers: { To: `<${ours}>;tag=1` } })
  stranger.send('no SIP')
  await friend.settle()
  await stranger.caughtUp()
  assert.deepEqual(stranger.heard, [])
  assert.deepEqual([server.stats.refused, server.stats.malformed, invites.length], [9, 0, 0])
})

test('a connection from a source that no fence lists is cut without a word', async () => {
  const { server } = await started()
  const socket = connect({ port: server.port, host: '127.0.0.1', localAddress: '127.0.0.9' })
  let heard = 0
  socket.on('data', (bytes) => (heard += bytes.length)).on('error', () => {})
  socket.write('OPTIONS sip:a@b SIP/2.0\r\n\r\n')
  await new Promise((resolve) => socket.once('close', resolve))
  assert.deepEqual([heard, server.stats.refused, server.stats.connections], [0, 1, 0])
})

test('a number that its source does not fence is not found, before anybody is asked to prove anything', async () => {
  const fences = [
    { ...openFence, networks: ['127.0.0.1'], pair: { username: 'peer', password: 'secret' } },
    { ...openFence, name: 'other', networks: ['127.0.0.2'], numbers: ['+34911222444'] },
  ]
  const { peer, invites } = await started({ fences: () => fences })
  const caller = await peer()
  for (const user of ['+34911222444', 'hello', '', 'sip%3A', '112'])
    caller.request(invite({ to: `sip:${user}@127.0.0.1`, headers: { 'Call-ID': `to-${user}` } }))
  await caller.settle()
  assert.deepEqual(caller.heard, [404, 404, 404, 404, 404, 200])
  assert.equal(invites.length, 0)
})

test('a call to a fenced number is reported with its fence and its caller, however the number is written', async () => {
  const { peer, invites } = await started()
  const caller = await peer()
  const uris = [
    ours,
    'sip:34911222333@127.0.0.1;user=phone',
    'tel:+34-911-222-333',
    'sips:0034911222333@127.0.0.1',
  ]
  for (const [at, to] of uris.entries())
    caller.request(invite({ to, headers: { 'Call-ID': `written-${at}` } }))
  caller.request(
    invite({ headers: { 'Call-ID': 'hidden', From: '"x" <sip:anonymous@anonymous.invalid>;tag=1' } }),
  )
  await caller.settle()
  assert.deepEqual(
    invites.map(({ number, agent, from, fence }) => [number, agent, from, fence?.name]),
    [
      ...uris.map(() => ['+34911222333', null, '+34600111222', openFence.name]),
      ['+34911222333', null, '', openFence.name],
    ],
  )
  assert.deepEqual(caller.heard, [100, 100, 100, 100, 100, 200])
})

test('a phone on this machine asks for an agent by name only if that is allowed', async () => {
  for (const isLocalAllowed of [true, false]) {
    const { peer, invites } = await started({ isLocalAllowed })
    const phone = await peer()
    phone.request(invite({ to: 'sip:hello@127.0.0.1' }))
    await phone.status(100, 404)
    assert.deepEqual(
      invites.map(({ number, agent, fence }) => [number, agent, fence]),
      isLocalAllowed ? [[null, 'hello', null]] : [],
    )
  }
})

test('a peer with a pair proves it, and is refused when it cannot', async () => {
  const pair = { username: 'peer', password: 'secret' }
  const { peer, invites } = await started({ fences: () => fences })
  const fences = [{ ...openFence, pair }]
  const caller = await peer()
  const prove = async (callId: string, known: typeof pair, ...algorithms: number[]) => {
    caller.request(invite({ headers: { 'Call-ID': callId } }))
    const asked = await caller.find((message) => message.callId === callId)
    const challenges = headersOf(asked, 'www-authenticate').filter((_, at) => algorithms.includes(at))
    const answer = answerChallenge(challenges, 'INVITE', ours, known) ?? ''
    const headers = { 'Call-ID': callId, CSeq: '2 INVITE', Authorization: answer }
    caller.request(invite({ headers }))
    const { status } = (await caller.find(
      (message) => message.callId === callId && message.cseq.number === 2,
    )) as { status?: number }
    return { status, headers }
  }
  assert.equal((await prove('by-sha', pair, 1)).status, 100)
  const { status, headers } = await prove('by-md5', pair, 0)
  assert.equal(status, 100)
  assert.equal((await prove('wrong', { ...pair, password: 'guess' }, 0, 1)).status, 403)
  assert.equal(invites.length, 2)
  caller.request(invite({ headers: { ...headers, 'Call-ID': 'replayed' } }))
  const replayed = await caller.find((message) => message.callId === 'replayed')
  assert.match(header(replayed, 'www-authenticate') ?? '', /stale=true/)
  assert.equal(invites.length, 2)
})

test('requests that are wrong, unknown or ask for too much are refused with what would be right', async () => {
  const { peer, invites } = await started()
  const caller = await peer()
  const cases: [Written, number, string?, string?][] = [
    [
      { method: 'REGISTER', to: ours },
      405,
      'allow',
      'INVITE, ACK, CANCEL, BYE, OPTIONS, PRACK, UPDATE, INFO, NOTIFY',
    ],
    [{ method: 'NEWMETHOD', to: ours }, 405],
    [invite({ headers: { CSeq: '1 BYE' } }), 400],
    [invite({ to: 'http://127.0.0.1/' }), 416],
    [invite({ to: 'sip:a@b:0' }), 400],
    [invite({ headers: { From: '<sip:a@b>' } }), 400],
    [invite({ headers: { Require: 'timer, 100rel, nothing' } }), 420, 'unsupported', 'nothing'],
    [invite({ headers: { 'Session-Expires': '60', Supported: 'timer' } }), 422, 'min-se', '90'],
    [invite({ body: 'v=0' }), 488],
    [invite({ type: 'text/plain' }), 488],
    [{ method: 'BYE', to: ours, headers: { To: `<${ours}>;tag=unknown` } }, 481],
    [{ method: 'CANCEL', to: ours }, 481],
    [{ method: 'OPTIONS', to: ours }, 200, 'accept', 'application/sdp'],
  ]
  for (const [at, [written, status, name, value]] of cases.entries()) {
    const callId = `case-${at}`
    caller.request({ ...written, headers: { 'Call-ID': callId, ...written.headers } })
    const answered = await caller.find((message) => message.callId === callId)
    assert.equal('status' in answered && answered.status, status, `${at} ${written.method}`)
    if (name) assert.equal(header(answered, name), value)
  }
  const future = caller
    .write(invite({ headers: { 'Call-ID': 'future' } }))
    .replace(/SIP\/2\.0\r\n/, 'SIP/7.0\r\n')
  caller.send(future)
  await caller.status(505)
  assert.equal(invites.length, 0)
})

test('an answer goes where the request came from when it asks so, and to its Via port when it does not', async () => {
  const { peer } = await started()
  const [sender, listener] = [await peer(), await peer()]
  const via = `SIP/2.0/UDP 10.9.9.9:${listener.port};branch=z9hG4bKa`
  sender.request({ method: 'OPTIONS', to: ours, headers: { Via: `${via};rport` } })
  const back = await sender.status(200)
  assert.match(header(back, 'via') ?? '', new RegExp(`;received=127.0.0.1;rport=${sender.port}$`))
  sender.request({ method: 'OPTIONS', to: ours, headers: { Via: via } })
  assert.match(header(await listener.status(200), 'via') ?? '', /;received=127\.0\.0\.1$/)
})

test('an INVITE that comes again is one call, and one that comes by another way is a loop', async () => {
  const { peer, invites } = await started()
  const caller = await peer()
  const written = caller.write(invite())
  caller.send(written)
  caller.send(written)
  caller.send(written.replace(/branch=\S+/, 'branch=z9hG4bKother'))
  await caller.status(482)
  assert.deepEqual([invites.length, caller.heard], [1, [100, 100, 482]])
  const old = written.replace(/branch=z9hG4bK\S+/, 'branch=1').replaceAll('call-', 'old-')
  caller.send(old)
  caller.send(old)
  await caller.settle()
  assert.equal(invites.length, 2)
})

test('a call taken back while it rings ends for both sides', async () => {
  const { peer, invites, server, ports } = await started({}, (call) => call.ring())
  const caller = await peer()
  const written = caller.write(invite())
  caller.send(written)
  await caller.status(180)
  const [call] = invites
  assert.ok(call)
  const other = await peer('127.0.0.1')
  other.send(written.replaceAll('INVITE', 'CANCEL').replace(/branch=\S+/, 'branch=z9hG4bKguess'))
  await other.status(481)
  assert.equal(call.signal.aborted, false)
  caller.send(written.replaceAll('INVITE', 'CANCEL'))
  const over = await caller.status(487)
  await caller.status(200)
  assert.ok(call.signal.aborted)
  await assert.rejects(call.accept(), { name: 'MediaError', message: 'the caller gave up' })
  caller.request({
    ...invite({ body: '' }),
    method: 'ACK',
    headers: { Via: header(over, 'via') ?? '', To: header(over, 'to') ?? '', CSeq: '1 ACK' },
  })
  await caller.settle()
  assert.deepEqual([server.stats.ringing, server.stats.dialogs, ports.size], [0, 0, 0])
})

test('a refusal says its status and reason on one line, again until it is acknowledged', async () => {
  const { peer, server } = await started({ timing: { t1Ms: 10, t4Ms: 10 } }, (call) =>
    call.reject(486, 'All\r\nlines taken'),
  )
  const caller = await peer()
  caller.request(invite())
  const refused = await caller.status(486)
  assert.equal(refused.reason, 'All lines taken')
  await until(() => caller.heard.filter((status) => status === 486).length > 2)
  caller.request({
    method: 'ACK',
    to: ours,
    headers: { Via: header(refused, 'via') ?? '', To: header(refused, 'to') ?? '' },
  })
  await until(() => server.stats.transactions === 0)
})

test('a call without a decision ends, and so does one whose answer is not acknowledged', async () => {
  const undecided = await started({ timing: { ringMs: 20, t1Ms: 15 } })
  const first = await undecided.peer()
  first.request(invite())
  await first.status(480)
  assert.ok(undecided.invites[0]?.signal.aborted)
  const { peer, invites, ports, server } = await started({ timing: { t1Ms: 15, t2Ms: 30 } })
  const second = await peer()
  second.request(invite())
  await second.status(100)
  const accepted = invites[0]?.accept().catch((error: unknown) => error)
  await until(() => ports.size === 1)
  await second.asked('BYE')
  assert.ok(second.heard.filter((status) => status === 200).length > 1)
  assert.deepEqual(await accepted, new MediaError('the caller did not acknowledge the answer'))
  await until(() => server.stats.dialogs === 0)
  assert.equal(ports.size, 0)
})

test('a call without an offer is given ours, and uses the answer in the ACK', async () => {
  for (const body of [offerOf(4444), 'v=0']) {
    const { peer, invites } = await started({ timing: { t1Ms: 20 } })
    const caller = await peer()
    caller.request(invite({ body: '' }))
    await caller.status(100)
    const accepted = invites[0]?.accept()
    const answer = await caller.status(200)
    assert.match(answer.body, /m=audio \d+ RTP\/AVP 0 8 9 111 101 102 13/)
    const refused = accepted?.then(
      () => null,
      (error: Error) => error.message,
    )
    caller.request({ method: 'ACK', to: ours, headers: { To: header(answer, 'to') ?? '' }, body })
    if (body === 'v=0') {
      assert.equal(await refused, "the far end's SDP does not fit: it is no SDP")
      await caller.asked('BYE')
    } else assert.equal((await accepted)?.terms.remotePort, 4444)
  }
})

test('a caller who rings when the server stops gets a response', async () => {
  const { peer, server, invites } = await started()
  const caller = await peer()
  caller.request(invite())
  await caller.status(100)
  await server.stop()
  await caller.status(480)
  assert.ok(invites[0]?.signal.aborted)
})

test('what a listener throws refuses the call and leaves the server running', async () => {
  const { peer, sentences } = await started({}, () => {
    throw new Error('broken')
  })
  const caller = await peer()
  caller.request(invite())
  await caller.status(500)
  await caller.settle()
  assert.deepEqual(sentences, ['a SIP message from 127.0.0.1 could not be handled: Error: broken'])
})
