import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { isRequest } from '@switchroom/media/sip/message'
import { SipTest } from '@switchroom/media/testing/sip-call'
import { offerOf, type SipPeer, trunkTo } from '@switchroom/media/testing/sip-peer'
import { CarriersInOrder } from './carriers-in-order.ts'

const run = new SipTest()
afterEach(() => run.stop())

const [to, from] = ['+34911222333', '+34600111222']

/** A worker that dials over three carriers. */
async function dialling(signal = new AbortController().signal) {
  const { server } = await run.server({ timing: { t1Ms: 400 } })
  const peers = [await run.peer(server), await run.peer(server), await run.peer(server)] as const
  const [first, second, third] = peers.map(({ port }) => trunkTo(port))
  assert.ok(first && second && third)
  const carriers = new CarriersInOrder({
    account: 'one',
    trunk: first,
    fallbacks: [
      { account: 'two', trunk: second },
      { account: 'three', trunk: third },
    ],
  })
  const calling = carriers.dial((trunk, more) => server.invite(to, trunk, from, signal, more), signal)
  calling.catch(() => {})
  return { peers, carriers, calling }
}

const invites = (peer: SipPeer) =>
  peer.received.filter((message) => isRequest(message) && message.method === 'INVITE').length

const accept = async (peer: SipPeer) => {
  peer.isObliging = true
  const headers = [`Contact: <sip:far@127.0.0.1:${peer.port}>`]
  peer.answer(await peer.asked('INVITE'), '200 OK', { headers, body: offerOf(4000) })
}

test('a call goes out through the first account that can carry it, and the result says why those before could not', async () => {
  const { peers, carriers, calling } = await dialling()
  const [, second, third] = peers // the first says nothing
  second.answer(await second.asked('INVITE'), '503 Service Unavailable')
  await accept(third)
  const dialog = await calling
  assert.deepEqual(carriers.told, {
    account: 'three',
    failed_accounts: [
      { account: 'one', sip_status: null, why: 'the carrier did not answer' },
      {
        account: 'two',
        sip_status: 503,
        why: 'the carrier is overloaded or out of service (503 Service Unavailable)',
      },
    ],
  })
  await dialog.bye()
})

test('a callee who is busy is not called through the next account', async () => {
  const { peers, carriers, calling } = await dialling()
  const [first, second, third] = peers
  first.answer(await first.asked('INVITE'), '486 Busy Here')
  await assert.rejects(calling, { status: 486 })
  assert.deepEqual(carriers.told, { account: 'one' })
  assert.deepEqual([invites(second), invites(third)], [0, 0])
})

test('the last account decides if none can carry the call', async () => {
  const { peers, carriers, calling } = await dialling()
  for (const peer of peers) void peer.asked('INVITE').then((invite) => peer.answer(invite, '500 Fault'))
  await assert.rejects(calling, { status: 500 })
  assert.equal(carriers.told.account, 'three')
  assert.deepEqual(
    carriers.told.failed_accounts?.map(({ account }) => account),
    ['one', 'two'],
  )
})

test('a call that is given up while the first account is tried goes to no other', async () => {
  const hangUp = new AbortController()
  const { peers, calling } = await dialling(hangUp.signal)
  const [first, second] = peers
  first.answer(await first.asked('INVITE'), '100 Trying')
  hangUp.abort()
  await assert.rejects(calling, { status: 487 })
  assert.equal(invites(second), 0)
})
