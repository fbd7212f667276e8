import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { ours, SipTest } from '../../testing/sip-call.ts'
import { never, offerOf, openFence, type SipPeer, trunkTo } from '../../testing/sip-peer.ts'
import { header } from './sip-message.ts'

const run = new SipTest()
afterEach(() => run.stop())

test('nobody takes back, or is told of, a call that another source asked for', async () => {
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
