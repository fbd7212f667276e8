import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { until } from '@switchroom/launcher/testing/waiting'
import type { LiveKitPhones } from '@switchroom/media/testing/livekit-phones'
import { isAnswered, roomSpeech, skip, startRooms, type RoomFixture } from './livekit-fixture.ts'
import { textsOf, typesOf } from './spoken-fixture.ts'

suite('callers who are sent on in rooms of a real LiveKit server', { skip }, () => {
  let phones: LiveKitPhones
  let rooms: RoomFixture
  let question: Int16Array
  let stop: () => Promise<void>

  before(async () => {
    question = await roomSpeech('What is your name?')
    ;({ phones, rooms, stop } = await startRooms({ settings: { greeting: { say: 'Hello.' } } }))
  })
  after(() => stop())

  /** A caller who was greeted, and their call. */
  async function greeted(from: string) {
    const person = await rooms.ring(from)
    const call = await rooms.fixture.nextCall()
    await person.untilSpokenTo()
    await rooms.fixture.untilLogged(call.id, 'it has greeted', (log) => typesOf(log).includes('bot.finished'))
    return { person, call }
  }

  /** The caller is heard by the agent, which answers. */
  async function assertGoesOn({ person, call }: Awaited<ReturnType<typeof greeted>>) {
    person.say(question)
    const entries = await rooms.fixture.untilLogged(call.id, 'the agent answers', isAnswered)
    assert.match(textsOf(entries, 'user.message').join(' '), /name/i)
    await person.leave()
    const ended = await rooms.fixture.untilEnded(call.id)
    assert.equal(ended.at(-1)?.data['reason'], 'hangup')
    assert.equal(typesOf(ended).filter((type) => type === 'call.transferred').length, 1)
  }

  test('an app brings a second person into the room, the two hear each other, and the agent hears neither nor their keys', async () => {
    const to = await rooms.carrier.reach('+34610000054')
    const { person, call } = await greeted('+34610000055')
    void call.transfer(to, { kind: 'warm' })
    assert.deepEqual(await rooms.untilTransferred(call.id), { to, kind: 'warm', ok: true })
    const guest = phones.answered.get(to)
    assert.ok(guest)
    const [heardByGuest, heardByCaller] = [guest.loudFrames, person.loudFrames]
    await person.press('7')
    person.say(question)
    await guest.untilSpokenTo(heardByGuest)
    guest.say(question)
    await person.untilSpokenTo(heardByCaller)
    await guest.leave()
    await person.left
    const ended = await rooms.fixture.untilEnded(call.id)
    assert.deepEqual(textsOf(ended, 'user.message'), [])
    assert.ok(!typesOf(ended).includes('call.dtmf_received'))
    assert.equal(ended.at(-1)?.data['reason'], 'hangup')
  })

  test('when a caller hangs up after a warm transfer, the person they were joined with is disconnected too', async () => {
    const to = await rooms.carrier.reach('+34610000058')
    const { person, call } = await greeted('+34610000059')
    void call.transfer(to, { kind: 'warm' })
    assert.deepEqual(await rooms.untilTransferred(call.id), { to, kind: 'warm', ok: true })
    await person.leave()
    await phones.answered.get(to)?.left
    assert.equal((await rooms.fixture.untilEnded(call.id)).at(-1)?.data['reason'], 'hangup')
  })

  test('a caller whose transfer is not answered stays with the agent, and the log says why', async () => {
    const to = await rooms.carrier.reach('+34610000071')
    phones.set(to, 486)
    const there = await greeted('+34610000072')
    void there.call.transfer(to, { kind: 'warm' })
    const why = 'busy (486 Busy Here)'
    assert.deepEqual(await rooms.untilTransferred(there.call.id), { to, kind: 'warm', ok: false, why })
    await assertGoesOn(there)
  })

  test('if the caller hangs up, the person being dialled for a transfer stops ringing, and the log says that it failed', async () => {
    const to = await rooms.carrier.reach('+34610000073')
    phones.set(to, 'ring')
    const { person, call } = await greeted('+34610000074')
    void call.transfer(to, { kind: 'warm' })
    const rung = await until('it rings', () => phones.ringing.get(to), 60_000)
    await person.leave()
    await rung.left
    const ended = await rooms.fixture.untilEnded(call.id)
    const told = { to, kind: 'warm', ok: false, why: 'the caller is gone' }
    assert.deepEqual(
      ended.slice(-2).map(({ type, data }) => [type, data]),
      [
        ['call.transferred', told],
        ['call.ended', { reason: 'hangup' }],
      ],
    )
  })

  test('an app sends a caller on, and the call is over here', async () => {
    const to = await rooms.carrier.reach('+34610000056')
    const { person, call } = await greeted('+34610000057')
    void call.transfer(to, { kind: 'cold' })
    const entries = await rooms.fixture.untilEnded(call.id)
    const told = entries.find(({ type }) => type === 'call.transferred')?.data
    assert.deepEqual(told, { to, kind: 'cold', ok: true })
    assert.deepEqual(phones.transfers, [`tel:${to}`])
    await person.left
  })

  test('a caller who cannot be sent on stays with the agent, and the log says why', async () => {
    const to = await rooms.carrier.reach('+34610000075')
    phones.set(to, 603)
    const there = await greeted('+34610000076')
    void there.call.transfer(to, { kind: 'cold' })
    const why = 'declined (603 Decline)'
    assert.deepEqual(await rooms.untilTransferred(there.call.id), { to, kind: 'cold', ok: false, why })
    await assertGoesOn(there)
  })

  test('if the media server has no SIP service, a cold transfer fails and the caller stays with the agent, and the log says so', async () => {
    const to = await rooms.carrier.reach('+34610000077')
    phones.set(to, 'no SIP service')
    const there = await greeted('+34610000078')
    void there.call.transfer(to, { kind: 'cold' })
    const why = 'no response from servers'
    assert.deepEqual(await rooms.untilTransferred(there.call.id), { to, kind: 'cold', ok: false, why })
    await assertGoesOn(there)
  })

  test('a guard that refuses leaves the caller with the agent, and the media server is not asked (N-244, N-245)', async () => {
    const to = '+881612345678'
    const asked = phones.transfers.length
    const there = await greeted('+34610000079')
    void there.call.transfer(to, { kind: 'cold' })
    const told = await rooms.untilTransferred(there.call.id)
    assert.deepEqual([told?.['to'], told?.['kind'], told?.['ok']], [to, 'cold', false])
    assert.match(String(told?.['why']), /\+881/)
    await assertGoesOn(there)
    assert.equal(phones.transfers.length, asked)
  })
})
