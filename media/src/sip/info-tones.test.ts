import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { SipTest } from '../../testing/sip-call.ts'
import { offerOf, until } from '../../testing/sip-peer.ts'
import { header } from './message.ts'

const run = new SipTest()
afterEach(() => run.stop())

test('keys of an INFO are read by their names and by their numbers: 10 is *, 11 is #, 12 to 15 are A to D', async () => {
  const { call, say, answered } = await run.standing()
  const keys: string[] = []
  call.onInfoTone((digit) => keys.push(digit))
  const relayed = ['0', '9', '10', '11', '12', '13', '14', '15', '*', '#', 'a', 'D', '16', '1 1', '']
  for (const signal of relayed)
    await answered(say('INFO', `Signal=${signal}\r\nDuration=160\r\n`, {}, 'application/dtmf-relay'))
  await answered(say('INFO', '11', {}, 'application/dtmf'))
  assert.equal(keys.join(''), '09*#ABCD*#AD#')
})

test('a far end without telephone events that allows INFO takes keys by it, and one that has them or allows none does not', async () => {
  const without = offerOf(4000)
    .replace(' 101\r\n', '\r\n')
    .replace('a=rtpmap:101 telephone-event/8000\r\n', '')
  for (const [allow, offer, takesInfo] of [
    ['INVITE, ACK, BYE, Info', without, true],
    ['INVITE, ACK, BYE', without, undefined],
    ['INVITE, ACK, BYE, INFO', offerOf(4000), undefined],
  ] as const) {
    const { call, say } = await run.standing({}, { Allow: allow })
    say('INVITE', offer)
    await until(() => (call.terms.tonePayloadType === null) === (offer === without))
    assert.equal(call.terms.takesInfo, takesInfo, allow)
  }
})

test('a key is pressed by INFO, and a far end that refuses it is heard', async () => {
  const { call, peer } = await run.standing()
  const pressing = call.sendInfoTone('#')
  const info = await peer.asked('INFO')
  assert.equal(header(info, 'content-type'), 'application/dtmf-relay')
  assert.equal(info.body, 'Signal=#\r\nDuration=160\r\n')
  peer.answer(info, '200 OK')
  await pressing
  peer.received.length = 0
  const refused = call.sendInfoTone('1')
  peer.answer(await peer.asked('INFO'), '415 Unsupported Media Type')
  await assert.rejects(refused, {
    message: 'the far end takes no keys by INFO (415 Unsupported Media Type)',
  })
})
