import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { ours, SipTest } from '../../testing/sip-call.ts'
import { never, offerOf, openFence, type SipPeer, trunkTo, until } from '../../testing/sip-peer.ts'
import { header, type SipMessage, type SipRequest } from './message.ts'
import { placeOfCaller, placeOfTrunk, referTo } from './referral.ts'

const run = new SipTest()
afterEach(() => run.stop())

const statusOf = (message: SipMessage) => ('status' in message ? message.status : 0)
const sipfrag = 'message/sipfrag;version=2.0'
const active = { Event: 'refer', 'Subscription-State': 'active;expires=60' }
const over = { Event: 'refer', 'Subscription-State': 'terminated;reason=noresource' }

/** Answers REFER and returns it. */
async function referred(peer: SipPeer, status: string): Promise<SipRequest> {
  const refer = await peer.asked('REFER')
  peer.answer(refer, status)
  return refer
}

test('a number or an extension is written at the place of the far end and in its form, a SIP address as it is, and nothing else is sent on', () => {
  const place = placeOfTrunk({ ...trunkTo(5070), transport: 'tcp' })
  assert.equal(referTo('+34933444555', place), 'sip:+34933444555@127.0.0.1:5070;transport=tcp')
  assert.equal(referTo('201', place), 'sip:201@127.0.0.1:5070;transport=tcp')
  assert.equal(referTo('*21#', placeOfTrunk(trunkTo(5070))), 'sip:*21%23@127.0.0.1:5070')
  assert.equal(referTo('sips:desk@example.com', place), 'sips:desk@example.com')
  const tel = placeOfTrunk({ ...trunkTo(5070), refer_to: 'tel' })
  assert.equal(referTo('+34933444555', tel), 'tel:+34933444555')
  assert.equal(referTo('201', tel), 'sip:201@127.0.0.1:5070')
  const national = { number_form: 'national', country_code: '34', trunk_prefix: '9' } as const
  const pbx = placeOfTrunk({ ...trunkTo(5070), ...national })
  assert.equal(referTo('+34933444555', pbx), 'sip:9933444555@127.0.0.1:5070')
  assert.equal(referTo('+442079460018', pbx), 'sip:00442079460018@127.0.0.1:5070')
  for (const wrong of ['nobody', 'sip:a b@c', '<sip:a@b>', 'http://x', '', '1'.repeat(16), '+1;x=y'])
    assert.throws(() => referTo(wrong, place), {
      name: 'MediaError',
      message: `${wrong} is no number, no extension and no SIP address`,
    })
})

test('a caller is reached where their Contact says, and at their address if it says nothing', () => {
  const at = (contact: string) => placeOfCaller(contact, '192.0.2.1:5060').at
  assert.equal(at('sip:+34600111222@pbx.example:5080;transport=TCP;ob'), 'pbx.example:5080;transport=tcp')
  assert.equal(at('sip:a@[2001:db8::1]:5060'), '[2001:db8::1]:5060')
  assert.equal(at('sip:a@pbx.example;transport=udp'), 'pbx.example')
  assert.equal(at('tel:+34600111222'), '192.0.2.1:5060')
})

test('a cold transfer is followed from trying over ringing to its arrival, and then the call here ends', async () => {
  const { peer, call, say, answered } = await run.standing()
  const sending = call.refer('+34933444555')
  const refer = await referred(peer, '202 Accepted')
  assert.equal(header(refer, 'refer-to'), `<sip:+34933444555@127.0.0.1:${peer.port}>`)
  assert.equal(header(refer, 'referred-by'), `<${ours}>`)
  for (const progress of ['SIP/2.0 100 Trying', 'SIP/2.0 180 Ringing', 'SIP/2.0 183 Session Progress', ''])
    assert.equal(statusOf(await answered(say('NOTIFY', progress, active, sipfrag))), 200)
  await assert.rejects(call.refer('+34933444555'), { message: 'the far end is being sent on already' })
  say('NOTIFY', 'SIP/2.0 200 OK', over, sipfrag)
  peer.answer(await peer.asked('BYE'), '200 OK')
  await sending
  assert.equal(await call.ended, 'hangup')
})

test('a fence or a trunk that wants tel: addresses gets them', async () => {
  const fences = [{ ...openFence, refer_to: 'tel' as const }]
  const inbound = await run.standing({ fences: () => fences })
  inbound.call.refer('+34933444555').catch(() => {})
  assert.equal(header(await referred(inbound.peer, '603 Decline'), 'refer-to'), '<tel:+34933444555>')
  const near = await run.server()
  const far = await run.peer(near.server)
  far.isObliging = true
  const trunk = { ...trunkTo(far.port), refer_to: 'tel' as const }
  const calling = near.server.invite('+34911222333', trunk, '+34600111222', never)
  far.answer(await far.asked('INVITE'), '200 OK', {
    body: offerOf(4000),
    headers: [`Contact: <sip:far@127.0.0.1:${far.port}>`],
  })
  const call = await calling
  call.refer('+34933444555').catch(() => {})
  assert.equal(header(await referred(far, '603 Decline'), 'refer-to'), '<tel:+34933444555>')
})

test('after a failed cold transfer the call stays, and the reason is told in words', async () => {
  const { peer, call, say, server } = await run.standing({ timing: { t1Ms: 50, t4Ms: 20 } })
  const sending = call.refer('sip:desk@example.com')
  await referred(peer, '202 Accepted')
  say('NOTIFY', 'SIP/2.0 180 Ringing', active, sipfrag)
  say('NOTIFY', 'SIP/2.0 486 Busy Here', over, sipfrag)
  await assert.rejects(sending, { name: 'MediaError', status: 486, message: 'busy (486 Busy Here)' })
  for (const [status, message] of [
    ['603 Decline', 'the carrier declined the transfer (603 Decline)'],
    ['405 Method Not Allowed', 'the carrier transfers no calls (405 Method Not Allowed)'],
    ['404 No Such Extension', 'the carrier does not know where to transfer the call (404 No Such Extension)'],
  ] as const) {
    peer.received.length = 0
    const refused = call.refer('+34933444555')
    await referred(peer, status)
    await assert.rejects(refused, { message })
  }
  peer.received.length = 0
  const untold = call.refer('+34933444555')
  await referred(peer, '202 Accepted')
  say('NOTIFY', 'SIP/2.0 100 Trying', over, sipfrag)
  await assert.rejects(untold, {
    message: 'the carrier ended its reports without saying whether the transfer arrived',
  })
  assert.equal(server.stats.dialogs, 1)
})

test('a far end that ends its reports and then hangs up has arrived', async () => {
  const { peer, call, say, answered } = await run.standing({ timing: { t1Ms: 50, t4Ms: 60_000 } })
  const sending = call.refer('+34933444555')
  await referred(peer, '202 Accepted')
  await answered(say('NOTIFY', 'SIP/2.0 100 Trying', over, sipfrag))
  say('BYE')
  await sending
})

test('a far end that hangs up during a cold transfer has arrived, and an ended call is not transferred', async () => {
  const { peer, call, say } = await run.standing()
  const sending = call.refer('+34933444555')
  await referred(peer, '202 Accepted')
  say('BYE')
  await sending
  await assert.rejects(call.refer('+34933444555'), { message: 'the call is over' })
})

test('a cold transfer without any NOTIFY leaves the call as it was', async () => {
  const { peer, call } = await run.standing({ timing: { ringMs: 50 } })
  const sending = call.refer('+34933444555')
  await referred(peer, '202 Accepted')
  await assert.rejects(sending, {
    message: 'the carrier did not say within 0.05 s whether the transfer arrived',
  })
})

test('notices of another transfer, of none, or of another event decide nothing, and neither does a flood of them', async () => {
  const { peer, call, say, answered, server, sentences } = await run.standing()
  assert.equal(statusOf(await answered(say('NOTIFY', 'SIP/2.0 200 OK', over, sipfrag))), 481)
  const sending = call.refer('+34933444555')
  const refer = await referred(peer, '202 Accepted')
  await peer.settle()
  const event = (id: number) => ({ ...over, Event: `refer;id=${id}` })
  const foreign = say('NOTIFY', 'SIP/2.0 200 OK', event(refer.cseq.number + 7), sipfrag)
  assert.equal(statusOf(await answered(foreign)), 481)
  const presence = say('NOTIFY', 'SIP/2.0 200 OK', { ...over, Event: 'presence' }, sipfrag)
  assert.equal(statusOf(await answered(presence)), 489)
  const junk = ['SIP/2.0 999 No', '\0'.repeat(2_000), 'SIP/2.0 -1', 'HTTP/1.1 200 OK', 'SIP/2.0 2']
  for (let count = 0; count < 400; count += 1) say('NOTIFY', junk[count % junk.length], active, sipfrag)
  await until(() => server.stats.transactions >= 100)
  await peer.settle()
  assert.ok(server.stats.transactions <= 300)
  assert.equal(server.stats.dialogs, 1)
  assert.deepEqual(sentences, [])
  say('BYE')
  await sending
  assert.equal(await call.ended, 'hangup')
})
