import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '@switchroom/launcher/testing/waiting'
import { runSipp } from '@switchroom/media/testing/sip-sipp'
import { missing } from '@switchroom/tools/debian-packages'
import { Carrier } from './spoken-carrier.ts'
import { startVoiceAgent, speech, typesOf, type Entry } from './spoken-fixture.ts'
import { Phone } from './spoken-phone.ts'
import { SentOnPhone } from './spoken-sent-on.ts'

const loud = 500

const fixture = await startVoiceAgent({ after }, { settings: { greeting: { say: 'Hello.' } } })
const carrier = await Carrier.open({ after }, fixture)
const { sipPort } = fixture.worker

const untilTransferred = async (call: string) => {
  const isTold = (log: Entry[]) => typesOf(log).includes('call.transferred')
  const entries = await fixture.untilLogged(call, 'the outcome of the transfer is logged', isTold)
  return entries.find(({ type }) => type === 'call.transferred')?.data
}

/** The caller's words after this many entries are heard, and the agent answers. */
async function assertGoesOn(call: string, phone: Pick<Phone, 'leg'>) {
  await fixture.untilLogged(call, 'it has greeted', (log) => typesOf(log).includes('bot.finished'))
  await phone.leg.play(await speech('What is your name?'))
  const entries = await fixture.untilLogged(call, 'it answers', (log) => {
    const gone = typesOf(log).indexOf('call.transferred')
    return log.some(
      ({ type, data }, at) => at > gone && type === 'agent.message' && data['source'] === 'model',
    )
  })
  assert.ok(typesOf(entries).includes('user.message'))
}

test('an app brings a second person into a call, and the two hear each other (N-504)', async (t) => {
  const to = await carrier.reach('+34610000031')
  const phone = await Phone.call(t, 'hello', sipPort)
  const call = await fixture.nextCall()
  const outcome = call.transfer(to, { kind: 'warm' })
  const { dialog, leg } = await carrier.answer()
  assert.deepEqual(await untilTransferred(call.id), { to, kind: 'warm', ok: true })
  assert.deepEqual(await outcome, { ok: true })
  const said = phone.say(await speech('Good morning.'))
  for await (const frame of leg.heard()) if (frame.some((sample) => Math.abs(sample) > loud)) break
  await said
  const before = phone.secondsHeard
  void leg.play(await speech('Yes, I am here.'))
  await phone.untilSpokenTo(before)
  await dialog.bye()
  assert.equal(await phone.dialog.ended, 'hangup')
  const entries = await fixture.untilEnded(call.id)
  assert.equal(entries.at(-1)?.data['reason'], 'hangup')
})

test('a transfer that is asked for while another is under way, or once the two are joined, is refused in a sentence, and the first continues (N-504)', async (t) => {
  const [to, other] = [await carrier.reach('+34610000032'), '+34610000033']
  const phone = await Phone.call(t, 'hello', sipPort)
  const call = await fixture.nextCall()
  const told = async (count: number) => {
    const isTold = (log: Entry[]) =>
      typesOf(log).filter((type) => type === 'call.transferred').length >= count
    const entries = await fixture.untilLogged(call.id, `${count} outcomes are logged`, isTold)
    return entries.findLast(({ type }) => type === 'call.transferred')?.data
  }
  const outcome = call.transfer(to, { kind: 'warm' })
  const invite = await carrier.nextRing()
  const refused = call.transfer(other, { kind: 'cold' })
  const underWay = 'another transfer of this call is under way'
  assert.deepEqual(await told(1), { to: other, kind: 'cold', ok: false, why: underWay })
  const second = await invite.accept()
  assert.deepEqual(await told(2), { to, kind: 'warm', ok: true })
  assert.deepEqual(await Promise.all([outcome, refused]), [{ ok: true }, { ok: false, why: underWay }])
  void call.transfer(other, { kind: 'warm' })
  const why = 'the caller is already connected to another person'
  assert.deepEqual(await told(3), { to: other, kind: 'warm', ok: false, why })
  await second.bye()
  assert.equal(await phone.dialog.ended, 'hangup')
  await fixture.untilEnded(call.id)
})

test('a caller whose transfer is not answered stays with the agent', async (t) => {
  const to = await carrier.reach('+34610000041')
  const phone = await Phone.call(t, 'hello', sipPort)
  const call = await fixture.nextCall()
  const outcome = call.transfer(to, { kind: 'warm' })
  const invite = await carrier.nextRing()
  invite.reject(486, 'Busy Here')
  const why = 'busy (486 Busy Here)'
  assert.deepEqual(await outcome, { ok: false, why })
  assert.deepEqual(await untilTransferred(call.id), { to, kind: 'warm', ok: false, why })
  await phone.hangUp()
  const entries = await fixture.untilEnded(call.id)
  assert.equal(entries.at(-1)?.data['reason'], 'hangup')
})

test('if the caller hangs up, the person being dialled for a transfer stops ringing, and the log says that it failed', async (t) => {
  const to = await carrier.reach('+34610000042')
  const phone = await Phone.call(t, 'hello', sipPort)
  const call = await fixture.nextCall()
  void call.transfer(to, { kind: 'warm' })
  const invite = await carrier.nextRing()
  await phone.hangUp()
  await until('it stops', () => invite.signal.aborted)
  const entries = await fixture.untilEnded(call.id)
  const transfer = entries.findLast(({ type }) => type === 'call.transferred')
  assert.equal(transfer?.data['ok'], false)
  assert.equal(entries.at(-1)?.data['reason'], 'hangup')
})

test('an app sends a caller on: their own carrier is asked to, the log says that they went, and then the call ends (N-504)', async (t) => {
  const to = await carrier.reach('+34610000051')
  const phone = await SentOnPhone.call(t, 'hello', sipPort)
  const call = await fixture.nextCall()
  void call.transfer(to, { kind: 'cold' })
  const referred = await phone.referred()
  assert.match(referred.to, /^<sip:\+34610000051@127\.0\.0\.1:\d+>$/)
  phone.go(referred.refer, '200 OK')
  await phone.untilLetGo()
  const entries = await fixture.untilEnded(call.id)
  assert.deepEqual(
    entries.filter(({ type }) => /transfer|ended/.test(type)).map(({ type, data }) => [type, data]),
    [
      ['transfer.requested', { to, kind: 'cold' }],
      ['call.transferred', { to, kind: 'cold', ok: true }],
      ['call.ended', { reason: 'hangup' }],
    ],
  )
  const dials = (await (await fixture.org.person('admin')).client.get('/v1/org/dials')).body.dials
  assert.deepEqual(
    dials.filter((dial: { to: string }) => dial.to === to).map((dial: { kind: string }) => dial.kind),
    ['transfer'],
  )
})

test('a caller who leaves during a cold transfer has arrived, whichever side hangs up first', async (t) => {
  const to = await carrier.reach('+34610000052')
  const phone = await SentOnPhone.call(t, 'hello', sipPort)
  const call = await fixture.nextCall()
  void call.transfer(to, { kind: 'cold' })
  const { refer } = await phone.referred()
  phone.accept(refer)
  phone.hangUp()
  assert.deepEqual(await untilTransferred(call.id), { to, kind: 'cold', ok: true })
  await fixture.untilEnded(call.id)
})

test('a cold transfer that a guard refuses leaves the caller with the agent, and the log says so once (N-244, N-245)', async (t) => {
  const to = '+881612345678'
  const phone = await SentOnPhone.call(t, 'hello', sipPort)
  const call = await fixture.nextCall()
  void call.transfer(to, { kind: 'cold' })
  const told = await untilTransferred(call.id)
  assert.deepEqual([told?.['to'], told?.['kind'], told?.['ok']], [to, 'cold', false])
  assert.match(String(told?.['why']), /\+881/)
  await assertGoesOn(call.id, phone)
  assert.equal(phone.wasReferred, false)
  phone.hangUp()
  const entries = await fixture.untilEnded(call.id)
  assert.equal(typesOf(entries).filter((type) => type === 'call.transferred').length, 1)
})

test('a cold transfer that the far end refuses leaves the caller with the agent', async (t) => {
  const to = await carrier.reach('+34610000053')
  const phone = await SentOnPhone.call(t, 'hello', sipPort)
  const call = await fixture.nextCall()
  void call.transfer(to, { kind: 'cold' })
  const { refer } = await phone.referred()
  phone.go(refer, '486 Busy Here')
  const why = 'busy (486 Busy Here)'
  assert.deepEqual(await untilTransferred(call.id), { to, kind: 'cold', ok: false, why })
  await assertGoesOn(call.id, phone)
  phone.hangUp()
  const entries = await fixture.untilEnded(call.id)
  assert.equal(entries.at(-1)?.data['reason'], 'hangup')
})

test('keys that an app presses are sent down the line (N-471)', async (t) => {
  const phone = await Phone.call(t, 'hello', sipPort)
  let pressed = ''
  phone.leg.onTone((digit) => (pressed += digit))
  const call = await fixture.nextCall()
  call.sendTones('12#')
  await until('they are heard', () => pressed === '12#')
  const entries = await fixture.untilLogged(call.id, 'the keys are logged', (log) =>
    typesOf(log).includes('call.dtmf_sent'),
  )
  const told = entries.find(({ type }) => type === 'call.dtmf_sent')
  assert.deepEqual(told?.data, { callId: call.id, digits: '12#' })
  await phone.hangUp()
  await fixture.untilEnded(call.id)
})

test(
  'a phone that wants it acknowledged that it rings reaches the agent',
  { skip: missing('sipp') },
  async () => {
    const sipp = await runSipp('reliable-caller', ['-s', 'hello', `127.0.0.1:${sipPort}`, '-m', '1'])
    const call = await fixture.nextCall()
    assert.deepEqual(await sipp.done, { status: 0, said: '' })
    const entries = await fixture.untilEnded(call.id)
    assert.equal(entries.at(-1)?.data['reason'], 'hangup')
  },
)
