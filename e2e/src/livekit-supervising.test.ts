import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ModelFake } from '@switchroom/gateway/testing/providers/model-fake'
import { changeRow } from '@switchroom/gateway/testing/providers/vendors'
import { temporaryFolder } from '@switchroom/launcher/testing/folders'
import { until } from '@switchroom/launcher/testing/waiting'
import { personRate } from '@switchroom/media/testing/livekit-person'
import { roomSpeech, skip, startRooms, type RoomFixture } from './livekit-fixture.ts'
import { textsOf, typesOf } from './spoken-fixture.ts'
import { assertNearly, assertWhole, recordingOf, spokenSeconds } from './spoken-recording.ts'

const roomRate = 24_000

suite('supervised calls in rooms of a real LiveKit server', { skip }, () => {
  let rooms: RoomFixture
  let model: ModelFake
  let question: Int16Array
  const last: (() => unknown)[] = []

  before(async () => {
    model = await ModelFake.start(() => 'Three.')
    question = await roomSpeech('What is your name?')
    const recordings = temporaryFolder({ after: (remove) => void last.push(remove) })
    const started = await startRooms({
      settings: { greeting: { say: 'Hello.' }, record: true },
      gateway: { SVC_RECORDINGS: recordings, SVC_PROVIDER_KEY_OPENAI: 'sk-0123456789' },
    })
    last.unshift(started.stop, () => model.stop())
    rooms = started.rooms
    await changeRow(rooms.fixture.deployment, (row) => {
      row.defaults.llm = 'openai/gpt-4.1-mini'
      row.options['llm/openai'] = { base_url: model.url }
    })
  })
  after(async () => {
    for (const stop of last) await stop()
  })

  test('a supervisor takes a call in a room over, speaks into it, gives it back, whispers and ends it; what both said is recorded, the caller left and the agent right', async () => {
    const { fixture } = rooms
    const supervisor = (await fixture.org.person('admin')).client
    const person = await rooms.ring('+34610000091')
    const { id } = await fixture.nextCall()
    const act = async (verb: string, text?: string) => {
      const asked = { verb, ...(text !== undefined && { text }) }
      const done = await supervisor.post(`/v1/calls/${id}/verbs`, asked)
      assert.equal(done.status, 202, done.text)
    }
    const untilTyped = (type: string, count = 1) =>
      fixture.untilLogged(id, type, (log) => typesOf(log).filter((each) => each === type).length >= count)
    await untilTyped('bot.finished')

    await act('takeover')
    // what would be thought of the first is thought of by the end of the second
    for (const turn of [1, 2]) {
      person.say(question)
      await untilTyped('turn.end', turn)
    }
    assert.equal(model.asked.length, 0)
    const heard = person.loudFrames
    await act('say', 'A person speaks now.')
    await person.untilSpokenTo(heard)
    await untilTyped('bot.finished', 2)
    assert.equal(model.asked.length, 0)

    await act('release')
    await act('whisper', 'Offer them the blue one.')
    person.say(question)
    await untilTyped('bot.finished', 3)
    const read = JSON.stringify(model.asked[0]?.messages)
    assert.match(read, /Offer them the blue one\./)
    assert.match(read, /A person speaks now\./)

    await act('end')
    await person.left
    const entries = await fixture.untilEnded(id)
    assert.deepEqual(textsOf(entries, 'agent.message'), ['Hello.', 'A person speaks now.', 'Three.'])
    assert.equal(textsOf(entries, 'user.message').length, 3)

    const { left, right } = await recordingOf(fixture, id, roomRate)
    assertWhole(left.length / roomRate, entries)
    assertNearly(spokenSeconds(left, roomRate), 3 * spokenSeconds(question, personRate), 'the caller')
    assertNearly(spokenSeconds(right, roomRate), person.loudFrames / 50, 'the agent')
  })

  test('keys that an app presses are heard in the room, and are logged (N-471)', async () => {
    const { fixture } = rooms
    const person = await rooms.ring('+34610000092')
    const call = await fixture.nextCall()
    await person.untilSpokenTo()
    call.sendTones('12#')
    await until('they are heard', () => person.digits.join('') === '12#')
    const entries = await fixture.untilLogged(call.id, 'the keys are logged', (log) =>
      typesOf(log).includes('call.dtmf_sent'),
    )
    const told = entries.find(({ type }) => type === 'call.dtmf_sent')
    assert.deepEqual(told?.data, { callId: call.id, digits: '12#' })
    await person.leave()
    await fixture.untilEnded(call.id)
  })

  test('an app that ends the call of a browser ends its room', async () => {
    const { fixture } = rooms
    const { call, person } = await rooms.browser()
    const started = await fixture.nextCall()
    await person.untilSpokenTo()
    started.end()
    await person.left
    await fixture.untilEnded(call)
    await rooms.untilNoRoom(call)
  })
})
