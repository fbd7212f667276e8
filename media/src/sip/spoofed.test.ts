import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { ours, SipTest } from '../../testing/sip-call.ts'
import { never, offerOf, openFence, type SipPeer, trunkTo, until } from '../../testing/sip-peer.ts'
import { header } from './message.ts'
import type { SipFence, SipServer } from './server.ts'

const run = new SipTest()
afterEach(() => run.stop())

test('no source cancels, or learns of, a call of another source', async () => {
  const fences = [openFence]
  const { server, invites } = await run.server({ fences: () => fences })
  const [caller, thief] = [await run.peer(server), await run.peer(server, '127.0.0.2')]
  const headers = { Via: `SIP/2.0/UDP 127.0.0.1:${caller.port};rport;branch=z9hG4bKseen` }
  const invite = {
    method: 'INVITE',
    to: ours,
    body: offerOf(4000),
    headers: { ...headers, 'Call-ID': 'seen' },
  }
  caller.request(invite)
  await caller.status(100)
  thief.request(invite)
  thief.request({ method: 'CANCEL', to: ours, headers: invite.headers })
  await thief.status(481)
  await thief.settle()
  assert.deepEqual(thief.heard, [481, 200])
  await caller.caughtUp()
  assert.deepEqual(caller.heard, [100])
  assert.deepEqual([invites.length, invites[0]?.signal.aborted, server.stats.ringing], [1, false, 1])
})

test('a far end of one call ends no other', async () => {
  const near = await run.server()
  const dialled = async (far: SipPeer) => {
    const trunk = { ...trunkTo(0), hostname: `${far.address}:${far.port}` }
    const calling = near.server.invite('+34911222333', trunk, '', never)
    const contact = `Contact: <sip:far@${far.address}:${far.port}>`
    far.answer(await far.asked('INVITE'), '200 OK', { body: offerOf(4000), headers: [contact] })
    return { call: await calling, ack: await far.asked('ACK') }
  }
  const [honest, thief] = [await run.peer(near.server), await run.peer(near.server, '127.0.0.9')]
  const [theirs, own] = [await dialled(honest), await dialled(thief)]
  const bye = ({ ack }: typeof theirs) => ({
    method: 'BYE',
    to: ours,
    headers: { From: header(ack, 'to') ?? '', To: header(ack, 'from') ?? '', 'Call-ID': ack.callId },
  })
  thief.request(bye(theirs))
  thief.request(bye(own))
  assert.equal(await own.call.ended, 'hangup')
  await thief.status(200)
  assert.deepEqual(thief.heard, ['INVITE', 'ACK', 200])
  assert.equal(near.server.stats.dialogs, 1)
})

test('what was said once within a call is not obeyed when it comes again under another branch', async () => {
  const { call, say, answered, peer } = await run.standing()
  const keys: string[] = []
  call.onInfoTone((digit) => keys.push(digit))
  const said = say('INFO', '5', {}, 'application/dtmf')
  await answered(said, (status) => status === 200)
  say('INFO', '6', { CSeq: `${said} INFO` }, 'application/dtmf')
  const { reason } = await peer.status(500)
  assert.deepEqual([reason, keys], ['Out of Order', ['5']])
})

/** Says something until it is not even read any more. */
async function untilStranger(peer: SipPeer, server: SipServer) {
  const { refused } = server.stats
  const asking = setInterval(() => peer.request({ method: 'OPTIONS', to: ours }), 10)
  await until(() => server.stats.refused > refused)
  clearInterval(asking)
}

test('the far end of a call is a stranger again once it is over, if no fence lists it', async () => {
  let fences: SipFence[] = [openFence]
  const { server, call, peer, say } = await run.standing({ fences: () => fences })
  fences = []
  const { refused } = server.stats
  say('INFO', '5', {}, 'application/dtmf')
  say('BYE')
  await call.ended
  assert.equal(server.stats.refused, refused)
  await untilStranger(peer, server)
})

test('a far end that was dialled and did not answer is a stranger again in a while', async () => {
  const { server } = await run.server({ timing: { t1Ms: 20 } })
  const far = await run.peer(server)
  const calling = server.invite('+34911222333', trunkTo(far.port), '', never)
  far.answer(await far.asked('INVITE'), '603 Decline')
  await assert.rejects(calling, { status: 603 })
  await far.asked('ACK')
  await untilStranger(far, server)
})

test('an answer says where its request really came from, whatever that said of itself', async () => {
  const fences = [openFence]
  const { server } = await run.server({ fences: () => fences })
  const peer = await run.peer(server)
  const via = `SIP/2.0/UDP 10.9.9.9:5099;received=203.0.113.9;rport=1;branch=z9hG4bKa`
  peer.request({ method: 'OPTIONS', to: ours, headers: { Via: via } })
  const answered = header(await peer.status(200), 'via')
  assert.equal(answered, `SIP/2.0/UDP 10.9.9.9:5099;branch=z9hG4bKa;received=127.0.0.1;rport=${peer.port}`)
})
