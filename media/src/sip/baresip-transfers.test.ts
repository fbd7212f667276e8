import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { missing } from '@switchroom/tools/debian-packages'
import { type Baresip, startBaresip } from '../../testing/baresip.ts'
import { SipTest } from '../../testing/sip-call.ts'
import { never, trunkTo, until } from '../../testing/sip-peer.ts'
import type { SipDialog } from './server.ts'

const run = new SipTest()
afterEach(() => run.stop())

const options = { skip: missing('baresip'), timeout: 60_000 }

/** An answered call with a softphone that called us. */
async function calledBy(phone: Baresip): Promise<SipDialog> {
  const { server, calls } = await run.answering()
  phone.type(`/dial sip:+34911222333@127.0.0.1:${server.port}\n`)
  await until(() => calls.length > 0)
  const call = await calls[0]
  assert.ok(call, phone.said())
  return call
}

test('baresip, which called, is sent on to another phone, and the call here ends', options, async (t) => {
  const [phone, other] = await Promise.all([startBaresip(t, ''), startBaresip(t, '')])
  const call = await calledBy(phone)
  await call.refer(`sip:peer@127.0.0.1:${other.port}`).catch((error: unknown) => {
    throw new Error(phone.said(), { cause: error })
  })
  assert.equal(await call.ended, 'hangup')
  await until(() => /Call established/.test(other.said()))
})

test('baresip, which was dialled, is sent on too', options, async (t) => {
  const [phone, other] = await Promise.all([startBaresip(t, ''), startBaresip(t, '')])
  const near = await run.server()
  const call = await near.server.invite('peer', trunkTo(phone.port), '+34600111222', never)
  await call.refer(`sip:peer@127.0.0.1:${other.port}`)
  assert.equal(await call.ended, 'hangup')
  await until(() => /Call established/.test(other.said()))
})

test(
  'baresip whose transfer is declined stays, and says why; afterwards it can be sent on elsewhere',
  options,
  async (t) => {
    const [phone, other] = await Promise.all([startBaresip(t, ''), startBaresip(t, '')])
    const call = await calledBy(phone)
    const declining = await run.peer(phone)
    const refused = call.refer(`sip:desk@127.0.0.1:${declining.port}`)
    refused.catch(() => {})
    const invite = await declining.asked('INVITE')
    declining.answer(invite, '603 Decline')
    await assert.rejects(refused, { message: 'declined (603 Decline)' })
    await call.refer(`sip:peer@127.0.0.1:${other.port}`)
    assert.equal(await call.ended, 'hangup')
  },
)
