import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { until } from '@switchroom/launcher/testing/waiting'
import type { LiveKitPhones } from '@switchroom/media/testing/livekit-phones'
import { roomSpeech, skip, startRooms, type RoomFixture } from './livekit-fixture.ts'
import { textsOf, typesOf } from './spoken-fixture.ts'

suite('calls in rooms of a real LiveKit server', { skip }, () => {
  let phones: LiveKitPhones
  let rooms: RoomFixture
  let question: Int16Array
  let stop: () => Promise<void>

  before(async () => {
    question = await roomSpeech('What is your name?')
    const greeting = { say: 'Hello! Say something.' }
    ;({ phones, rooms, stop } = await startRooms({ settings: { greeting } }))
  })
  after(() => stop())

  test('a browser in a room is greeted, heard and answered, and hangs up', async () => {
    const { fixture } = rooms
    const { call, person } = await rooms.browser()
    assert.equal((await fixture.nextCall()).id, call)
    await person.untilSpokenTo()
    await person.press('5') // a browser has no keys
    await fixture.untilLogged(call, 'it was greeted', (log) => typesOf(log).includes('bot.finished'))
    person.say(question)
    const entries = await fixture.untilLogged(
      call,
      'it was answered',
      (log) => typesOf(log).filter((type) => type === 'bot.speaking').length === 2,
    )
    assert.deepEqual(typesOf(entries).slice(0, 4), [
      'call.started',
      'bot.speaking',
      'bot.finished',
      'agent.message',
    ])
    assert.equal(textsOf(entries, 'agent.message')[0], 'Hello! Say something.')
    assert.match(textsOf(entries, 'user.message')[0] ?? '', /name/i)
    assert.ok(!typesOf(entries).includes('call.dtmf_received'))
    await person.leave()
    const ended = await fixture.untilEnded(call)
    assert.equal(ended.at(-1)?.data['reason'], 'hangup')
  })

  test('a phone that calls a number reaches its agent, its keys are heard, and the room ends with the call', async () => {
    const { fixture, carrier } = rooms
    const person = await rooms.ring('+34610000051')
    const { id: call } = await fixture.nextCall()
    await person.untilSpokenTo()
    await person.press('5')
    const entries = await fixture.untilLogged(call, 'a key was heard', (log) =>
      typesOf(log).includes('call.dtmf_received'),
    )
    assert.equal(entries.find(({ type }) => type === 'call.dtmf_received')?.data['digit'], '5')
    const { rows } = await fixture.deployment.sql('select channel, caller, called from calls where id = $1', [
      call,
    ])
    assert.deepEqual(rows, [{ channel: 'phone', caller: '+34610000051', called: carrier.from }])
    const supervisor = await fixture.org.person('admin')
    const asked = await supervisor.client.post(`/v1/calls/${call}/verbs`, { verb: 'end' })
    assert.ok(asked.status < 300, asked.text)
    await person.left
  })

  test('a phone that calls a number without an agent is hung up on and never answered', async () => {
    const person = await rooms.ring('+34610000052', '+34910000099')
    await person.left
    assert.equal(person.isAnswered, false)
  })

  test('a call that the gateway places waits for its worker, and starts when the person answers', async () => {
    const { fixture, carrier } = rooms
    const to = await carrier.reach('+34610000053')
    const call = await rooms.dial(to)
    const person = await until('the person answers', () => phones.answered.get(to), 60_000)
    await person.untilSpokenTo()
    await person.leave()
    const entries = await fixture.untilEnded(call)
    const types = typesOf(entries).filter((type) => type !== 'call.answered_by') // comes when it is known
    assert.deepEqual(types.slice(0, 4), ['call.dialing', 'call.answered', 'call.started', 'bot.speaking'])
    assert.equal(entries.at(-1)?.data['reason'], 'hangup')
    await fixture.nextCall()
  })
})
