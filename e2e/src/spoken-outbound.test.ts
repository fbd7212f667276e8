import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@switchroom/launcher/testing/waiting'
import { Carrier } from './spoken-carrier.ts'
import { openDesk, speech, typesOf, type SpokenDesk } from './spoken-desk.ts'
import { Phone } from './spoken-phone.ts'

const greeted = { settings: { greeting: { say: 'Hello, it is me who calls.' } } }
const loud = 500

async function dial(desk: SpokenDesk, to: string): Promise<string> {
  const { client } = await desk.org.serverToken('sandbox', { scopes: ['talk'] })
  const dialled = await client.post('/v1/agents/hello/dial', { to })
  assert.equal(dialled.status, 202, dialled.text)
  return dialled.body.call
}

test('an agent calls somebody through the trunk of its org, is heard, and the call ends when they hang up', async (t) => {
  const desk = await openDesk(t, greeted)
  const carrier = await Carrier.open(t, desk)
  const call = await dial(desk, await carrier.reach(desk, '+34610000001'))
  const { dialog, leg } = await carrier.answer()
  for await (const frame of leg.heard()) if (frame.some((sample) => Math.abs(sample) > loud)) break
  await dialog.bye()
  const entries = await desk.untilLogged(call, 'it has ended', (log) => log.at(-1)?.type === 'call.ended')
  assert.deepEqual(typesOf(entries).slice(0, 4), [
    'call.dialing',
    'call.answered',
    'call.started',
    'bot.speaking',
  ])
  assert.equal(entries.at(-1)?.data['reason'], 'hangup')
})

test('who is busy or does not answer ends the call so', async (t) => {
  const desk = await openDesk(t, greeted)
  const carrier = await Carrier.open(t, desk)
  for (const [place, [status, reason]] of (
    [
      [486, 'busy'],
      [480, 'no_answer'],
      [503, 'dial_failed'],
    ] as const
  ).entries()) {
    const call = await dial(desk, await carrier.reach(desk, `+3461000001${place}`))
    const invite = await carrier.nextRing()
    invite.reject(status)
    const entries = await desk.untilLogged(call, 'it has ended', (log) => log.at(-1)?.type === 'call.ended')
    assert.equal(entries.at(-1)?.data['reason'], reason)
  }
})

test('a call that is ended while it rings rings no longer', async (t) => {
  const desk = await openDesk(t, greeted)
  const carrier = await Carrier.open(t, desk)
  const call = await dial(desk, await carrier.reach(desk, '+34610000021'))
  const invite = await carrier.nextRing()
  const supervisor = await desk.org.person('admin')
  const ended = await supervisor.client.post(`/v1/calls/${call}/verbs`, { verb: 'end' })
  assert.ok(ended.status < 300, ended.text)
  await until('it stops', () => invite.signal.aborted)
})

test('an app brings somebody into a call, and the two hear each other (N-504)', async (t) => {
  const desk = await openDesk(t, greeted)
  const carrier = await Carrier.open(t, desk)
  const to = await carrier.reach(desk, '+34610000031')
  const started = Promise.withResolvers<string>()
  desk.agent.on('bot.finished', (_event, call) => {
    call.transfer(to, { kind: 'warm' })
    started.resolve(call.id)
  })
  const phone = await Phone.call(t, 'hello', desk.worker.sipPort)
  const { dialog, leg } = await carrier.answer()
  const call = await started.promise
  await desk.untilLogged(call, 'it was transferred', (log) => typesOf(log).includes('call.transferred'))
  const said = phone.say(await speech('Good morning, is there anybody?'))
  for await (const frame of leg.heard()) if (frame.some((sample) => Math.abs(sample) > loud)) break
  await said
  const before = phone.secondsHeard
  void leg.play(await speech('Yes, I am here.'))
  await phone.untilSpokenTo(before)
  await dialog.bye()
  assert.equal(await phone.dialog.ended, 'hangup')
  const entries = await desk.untilLogged(call, 'it has ended', (log) => log.at(-1)?.type === 'call.ended')
  const told = entries.find(({ type }) => type === 'call.transferred')
  assert.deepEqual(told?.data, { to, kind: 'warm', ok: true })
  assert.equal(entries.at(-1)?.data['reason'], 'hangup')
})

test('a caller whom nobody can be brought to stays with the agent', async (t) => {
  const desk = await openDesk(t, greeted)
  const carrier = await Carrier.open(t, desk)
  const to = await carrier.reach(desk, '+34610000041')
  const started = Promise.withResolvers<string>()
  desk.agent.on('bot.finished', (_event, call) => {
    call.transfer(to, { kind: 'warm' })
    started.resolve(call.id)
  })
  const phone = await Phone.call(t, 'hello', desk.worker.sipPort)
  const invite = await carrier.nextRing()
  invite.reject(486, 'Busy Here')
  const call = await started.promise
  const entries = await desk.untilLogged(call, 'it was told', (log) =>
    typesOf(log).includes('call.transferred'),
  )
  const told = entries.find(({ type }) => type === 'call.transferred')
  assert.deepEqual(told?.data, { to, kind: 'warm', ok: false, why: 'the far end answered 486 Busy Here' })
  await phone.hangUp()
  await desk.untilLogged(call, 'it has ended', (log) => log.at(-1)?.data['reason'] === 'hangup')
})

test('keys that an app presses are sent down the line (N-471)', async (t) => {
  const desk = await openDesk(t, greeted)
  const started = Promise.withResolvers<string>()
  desk.agent.on('call.started', (call) => {
    call.sendTones('12#')
    started.resolve(call.id)
  })
  const phone = await Phone.call(t, 'hello', desk.worker.sipPort)
  let pressed = ''
  phone.leg.onTone((digit) => (pressed += digit))
  await until('they are heard', () => pressed === '12#')
  const entries = await desk.untilLogged(await started.promise, 'it is told', (log) =>
    typesOf(log).includes('call.dtmf_sent'),
  )
  const told = entries.find(({ type }) => type === 'call.dtmf_sent')
  assert.deepEqual(told?.data, { callId: await started.promise, digits: '12#' })
  await phone.hangUp()
})
