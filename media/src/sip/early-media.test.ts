import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { SipTest } from '../../testing/sip-call.ts'
import { never, offerOf, trunkTo } from '../../testing/sip-peer.ts'

const run = new SipTest()
afterEach(() => run.stop())

/** An outbound call that is not answered yet. */
async function dialled() {
  const near = await run.server()
  const far = await run.peer(near.server)
  far.isObliging = true
  const calling = near.server.invite('+34911222333', trunkTo(far.port), '+34600111222', never)
  calling.catch(() => {})
  const invite = await far.asked('INVITE')
  const headers = [`Contact: <sip:far@127.0.0.1:${far.port}>`]
  const answer = (status: string, body = '', tag = 'callee') =>
    far.answer(invite, status, { body, headers, tag })
  return { calling, answer }
}

test('a far end that described its audio while it rang need not do so again', async () => {
  const { calling, answer } = await dialled()
  answer('183 Session Progress', offerOf(4000))
  answer('180 Ringing')
  answer('200 OK')
  assert.equal((await calling).terms.remotePort, 4000)
})

test('what the far end describes in its answer counts, whatever was described before', async () => {
  const { calling, answer } = await dialled()
  answer('183 Session Progress', offerOf(4000))
  answer('183 Session Progress', offerOf(4002))
  answer('200 OK', offerOf(4004))
  assert.equal((await calling).terms.remotePort, 4004)
})

test('what another one described is not taken for theirs who answer', async () => {
  const { calling, answer } = await dialled()
  answer('183 Session Progress', offerOf(4000), 'one')
  answer('200 OK', '', 'two')
  await assert.rejects(calling, { status: 488 })
})

test('of an answer with more than one line the sound is taken, and PCMA alone will do', async () => {
  const { calling, answer } = await dialled()
  const lines = [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    'm=video 0 RTP/AVP 31',
    'm=audio 4006 RTP/AVP 8',
    'a=ptime:30',
  ]
  answer('200 OK', `${lines.join('\r\n')}\r\n`)
  const { remotePort, codec, payloadType, tonePayloadType, ptimeMs } = (await calling).terms
  assert.deepEqual([remotePort, codec, payloadType, tonePayloadType, ptimeMs], [4006, 'PCMA', 8, null, 20])
})
