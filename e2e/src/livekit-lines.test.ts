import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { until } from '@switchroom/launcher/testing/waiting'
import type { LiveKitPhones } from '@switchroom/media/testing/livekit-phones'
import { PhoneLine, type Call } from '@switchroom/sdk'
import { isAnswered, roomSpeech, skip, startRooms, type RoomFixture } from './livekit-fixture.ts'
import { textsOf, typesOf, type Entry } from './spoken-fixture.ts'

suite('lines and dialled calls in rooms of a real LiveKit server', { skip }, () => {
  let phones: LiveKitPhones
  let rooms: RoomFixture
  let stop: () => Promise<void>

  before(async () => {
    ;({ phones, rooms, stop } = await startRooms({ settings: { greeting: { say: 'Hello.' } } }))
  })
  after(() => stop())

  test('a line in a room collects an extension before it hears of the call, speaks for itself, and hands the call to an agent on the same sound (N-469, N-470, N-476, N-480)', async () => {
    const { fixture } = rooms
    const line = new PhoneLine({ number: await rooms.anotherNumber(), extensionMs: 10_000 })
    let rang: Call | undefined
    line.on('call', (ringing) => void (rang = ringing))
    await fixture.switchroom.hold(line)
    const person = await rooms.ring('+34610000081', line.number)
    await person.untilAnswered()
    for (const key of ['1', '2', '#']) await person.press(key)
    const onLine = await until('the line has it', () => rang, 60_000)
    assert.equal(onLine.extension, '12')
    onLine.say('Who do you want?')
    await person.untilSpokenTo()
    const isSaid = (text: string) => (log: Entry[]) => textsOf(log, 'agent.message').includes(text)
    const early = await fixture.untilLogged(onLine.id, 'the line spoke', isSaid('Who do you want?'))
    assert.ok(!isSaid('Hello.')(early))
    assert.ok(!typesOf(early).includes('call.dtmf_received'), typesOf(early).join(' '))

    assert.deepEqual(await line.route(onLine, 'hello'), { routed: true })
    assert.equal((await fixture.nextCall()).id, onLine.id)
    await fixture.untilLogged(onLine.id, 'the agent greets', isSaid('Hello.'))
    await person.press('5')
    person.say(await roomSpeech('What is your name?'))
    const heard = await fixture.untilLogged(onLine.id, 'the agent answers', isAnswered)
    const pressed = heard.filter(({ type }) => type === 'call.dtmf_received').map(({ data }) => data)
    assert.deepEqual(pressed, [{ callId: onLine.id, digit: '5', digits: '5' }])
    await person.leave()
    await fixture.untilEnded(onLine.id)
  })

  test('who is busy or does not answer ends a dialled call so, and its room', async () => {
    for (const [place, [status, reason]] of (
      [
        [486, 'busy'],
        [480, 'no_answer'],
        [503, 'dial_failed'],
      ] as const
    ).entries()) {
      const to = await rooms.carrier.reach(`+3461000008${place + 2}`)
      phones.set(to, status)
      const call = await rooms.dial(to)
      const entries = await rooms.fixture.untilEnded(call)
      assert.equal(entries.at(-1)?.data['reason'], reason)
      await rooms.untilNoRoom(call)
    }
  })

  test('a dialled call that is ended while it rings rings no longer', async () => {
    const to = await rooms.carrier.reach('+34610000085')
    phones.set(to, 'ring')
    const call = await rooms.dial(to)
    const rung = await until('it rings', () => phones.ringing.get(to), 60_000)
    const supervisor = await rooms.fixture.org.person('admin')
    const ended = await supervisor.client.post(`/v1/calls/${call}/verbs`, { verb: 'end' })
    assert.ok(ended.status < 300, ended.text)
    await rung.left
    await rooms.untilNoRoom(call)
  })

  test('a dialled call ends at its maximum duration, also after a transfer', async () => {
    const { fixture, carrier } = rooms
    const limits = { per_minute: 1000, max_duration_s: 15 }
    const set = await fixture.deployment.operator.put(`/v1/ops/orgs/${fixture.org.slug}/dialling`, limits)
    assert.equal(set.status, 200, set.text)
    const to = await carrier.reach('+34610000086')
    const call = await rooms.dial(to)
    const person = await until('the person answers', () => phones.answered.get(to), 60_000)
    await person.untilSpokenTo()
    await person.left
    const entries = await fixture.untilEnded(call)
    assert.equal(entries.at(-1)?.data['reason'], 'max_duration')
    const lasted = (entries.at(-1)?.ts ?? 0) - (entries.find(({ type }) => type === 'call.dialing')?.ts ?? 0)
    assert.ok(lasted > 12 && lasted < 25, `it lasted ${lasted} s`)
    assert.equal(phones.dials.at(-1)?.maxCallDuration, '15s')
    await fixture.nextCall()
  })
})
