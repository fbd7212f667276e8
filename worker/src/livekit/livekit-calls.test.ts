import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { callIn } from '@switchroom/media/livekit/names'
import { JobStatus, LiveKitAgentSocket } from '@switchroom/media/testing/livekit-agent-socket'
import { pino } from 'pino'
import { LiveKitCalls } from './livekit-calls.ts'
import type { RoomTask } from '../process-messages.ts'
import type { RoomEnds, RunningCalls } from '../processes/running-calls.ts'

/** A worker with this many places at a media server, and the calls that it would hand to its processes. */
async function worker(t: TestContext, { capacity = 1, areAllFull = false } = {}) {
  const server = await LiveKitAgentSocket.start()
  const [draining, stopping] = [new AbortController(), new AbortController()]
  const run: { task: RoomTask; ends: RoomEnds }[] = []
  let over = 0
  const calls = {
    get count() {
      return run.length - over
    },
    runRoom: (task: RoomTask, ends: RoomEnds) => void run.push({ task, ends }),
    end: () => {},
  }
  const rooms = new LiveKitCalls({
    env: 'sandbox',
    address: server.address,
    fleet: 'sandbox',
    logger: pino({ level: 'silent' }),
    calls: calls as unknown as RunningCalls,
    capacity,
    tellLoad: async () => areAllFull,
    draining: draining.signal,
    stopping: stopping.signal,
  })
  await rooms.register()
  t.after(async () => {
    stopping.abort()
    await server.stop()
  })
  const offer = async (id: string, metadata: string): Promise<boolean | undefined> => {
    const before = server.said('availability').length
    server.offer(id, metadata)
    await server.until(() => server.said('availability').length > before)
    return server.said('availability').at(-1)?.available
  }
  const give = async (id: string, metadata: string) => {
    assert.equal(await offer(id, metadata), true)
    const before = server.said('updateJob').length
    server.assign(id, metadata)
    await server.until(() => server.said('updateJob').length > before)
    return run.at(-1)
  }
  const finish = (at: number) => {
    over += 1
    run[at]?.ends.over()
  }
  return { server, run, offer, give, finish, draining }
}

const known = '{"call":"call_1"}'

test('a job is run as the call that it is for, and reported to the server when that is over', async (t) => {
  const { server, give, finish } = await worker(t, { capacity: 3 })
  const phone = await give('J1', '')
  const { call, way, terms, endsAt } = phone?.task ?? {}
  assert.deepEqual([call, way, endsAt], [callIn('room-J1'), 'arrived', null])
  assert.deepEqual(terms, { url: server.address.url, room: 'room-J1', token: 'token-J1' })
  assert.deepEqual((await give('J2', known))?.task.way, 'known')
  const placed = await give('J3', '{"call":"call_3","max_duration_s":60}')
  assert.deepEqual([placed?.task.call, placed?.task.way], ['call_3', 'placed'])
  assert.ok(Math.abs((placed?.task.endsAt ?? 0) - Date.now() - 60_000) < 5_000)
  finish(0)
  await server.until(() => server.said('updateJob').length === 4)
  assert.equal(server.said('updateJob').at(-1)?.status, JobStatus.JS_SUCCESS)
})

test('a worker without a place takes no call while another worker has one', async (t) => {
  const { give, offer, finish } = await worker(t)
  await give('J1', known)
  assert.equal(await offer('J2', ''), false)
  finish(0)
  assert.equal(await offer('J3', ''), true)
})

test('if every worker is full a phone is answered with a sentence, and no other call is taken (N-373)', async (t) => {
  const { give, offer } = await worker(t, { areAllFull: true })
  await give('J1', known)
  assert.equal(await offer('J2', known), false)
  const told = await give('J3', '')
  assert.equal(told?.task.way, 'overflow')
})

test('a worker that drains takes nothing, not even a phone that would hear that all are full', async (t) => {
  const { give, offer, draining } = await worker(t, { areAllFull: true })
  await give('J1', '')
  draining.abort()
  assert.equal(await offer('J2', ''), false)
})

test('a job that is no call of ours is given back', async (t) => {
  const { server, run, give } = await worker(t)
  await give('J1', 'about something else')
  await server.until(() => server.said('updateJob').length === 2)
  assert.deepEqual(
    server.said('updateJob').map(({ status }) => status),
    [JobStatus.JS_RUNNING, JobStatus.JS_FAILED],
  )
  assert.deepEqual(run, [])
})
