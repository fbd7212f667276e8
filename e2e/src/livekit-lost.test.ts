import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { until } from '@switchroom/launcher/testing/waiting'
import { skip, startRooms, type RoomFixture } from './livekit-fixture.ts'
import { typesOf, type WorkerProcess } from './spoken-fixture.ts'

/** Longer than a worker may be silent. */
const silentMs = 32_000

suite('workers of a real LiveKit server that are full, stop or break', { skip }, () => {
  let rooms: RoomFixture
  let next: WorkerProcess
  let stop: () => Promise<void>

  before(async () => {
    const settings = { greeting: { say: 'Hello.' } }
    ;({ rooms, stop } = await startRooms({ settings, worker: { SVC_WORKER_CALLS: '1' } }))
  })
  after(() => stop())

  async function callbacksOf(call: string) {
    const entries = await rooms.fixture.untilEnded(call)
    const backs = entries.filter(({ type }) => type === 'callback.requested')
    return { entries, backs: backs.map(({ data }) => [data['number'], data['via']]) }
  }

  test('while every worker is full a phone hears so and is called back, and a browser’s call ends (N-371, N-373)', async () => {
    const { fixture } = rooms
    const first = await rooms.ring('+34610000061')
    const firstCall = await rooms.callFrom('+34610000061')
    await first.untilSpokenTo()
    const second = await rooms.ring('+34610000062')
    await second.untilSpokenTo()
    await second.left
    const { entries, backs } = await callbacksOf(await rooms.callFrom('+34610000062'))
    assert.deepEqual(backs, [['+34610000062', 'overflow']])
    assert.equal(entries.at(-1)?.data['reason'], 'hangup')
    const browser = await rooms.browser()
    assert.ok(!typesOf(await fixture.entriesOf(firstCall)).includes('call.ended'))
    await first.leave()
    await fixture.untilEnded(firstCall)
    assert.deepEqual(await fixture.entriesOf(browser.call), [])
    await browser.person.leave()
  })

  test('when the process of a call breaks its caller hears a sentence, is hung up on and is called back once (N-374, N-375, N-376, N-377)', async () => {
    const { fixture } = rooms
    const person = await rooms.ring('+34610000063')
    const call = await rooms.callFrom('+34610000063')
    await person.untilSpokenTo()
    await fixture.untilLogged(call, 'it was greeted', (log) => typesOf(log).includes('bot.finished'))
    const heard = person.loudFrames
    for (const pid of fixture.worker.processes) process.kill(pid, 'SIGKILL')
    await person.untilSpokenTo(heard)
    await person.left
    assert.ok(person.loudFrames > heard + 10)
    fixture.deployment.clock.forward(silentMs)
    const { entries, backs } = await callbacksOf(call)
    assert.deepEqual(backs, [['+34610000063', 'overflow']])
    assert.equal(entries.find(({ type }) => type === 'error')?.data['code'], 'worker_lost')
  })

  test('a worker that is asked to stop is given no more calls, lets its own finish, and then goes', async () => {
    const { fixture } = rooms
    const person = await rooms.ring('+34610000064')
    const call = await rooms.callFrom('+34610000064')
    await person.untilSpokenTo()
    fixture.worker.child.kill('SIGTERM')
    await until('it drains', () => fixture.worker.said.includes('draining'))
    next = await rooms.another()
    const second = await rooms.ring('+34610000065')
    const secondCall = await rooms.callFrom('+34610000065')
    await second.untilSpokenTo()
    const { rows } = await fixture.deployment.sql('select worker from calls where id = any($1)', [
      [call, secondCall],
    ])
    assert.equal(new Set(rows.map(({ worker }) => worker)).size, 2)
    assert.equal(fixture.worker.child.exitCode, null)
    await person.leave()
    assert.equal(await fixture.worker.ended, 0)
    assert.equal((await fixture.untilEnded(call)).at(-1)?.data['reason'], 'hangup')
    await second.leave()
    await fixture.untilEnded(secondCall)
  })

  test('a worker that is killed whole leaves calls which the gateway ends, with the room and one callback', async () => {
    const { fixture } = rooms
    const person = await rooms.ring('+34610000066')
    const call = await rooms.callFrom('+34610000066')
    await person.untilSpokenTo()
    const { child, processes } = next
    for (const pid of [child.pid ?? 0, ...processes]) process.kill(pid, 'SIGKILL')
    fixture.deployment.clock.forward(silentMs)
    const { entries, backs } = await callbacksOf(call)
    await person.left
    assert.deepEqual(backs, [['+34610000066', 'overflow']])
    assert.equal(entries.at(-1)?.data['reason'], 'failed')
  })
})
