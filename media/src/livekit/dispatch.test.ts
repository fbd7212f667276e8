import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { JobStatus, JobType, WorkerStatus } from '@livekit/protocol'
import { LiveKitAgentSocket } from '../../testing/livekit-agent-socket.ts'
import { type DispatchOptions, LiveKitDispatch, type RoomJob } from './dispatch.ts'
import { MediaError } from '../plane.ts'

async function registered(t: TestContext, capacity = 1, overflow?: DispatchOptions['overflow']) {
  const server = await LiveKitAgentSocket.start()
  const jobs: RoomJob[] = []
  const lost: string[] = []
  const dispatch = await LiveKitDispatch.register({
    address: server.address,
    fleet: 'fleet-production',
    free: () => capacity - jobs.length,
    load: () => jobs.length / capacity,
    ...(overflow && { overflow }),
    onJob: (job) => jobs.push(job),
    log: (sentence) => lost.push(sentence),
  })
  t.after(async () => {
    dispatch.stop()
    await server.stop()
  })
  return { server, jobs, dispatch, lost }
}

test('a worker registers for the calls of its fleet', async (t) => {
  const { server } = await registered(t)
  const [asked] = server.said('register')
  assert.deepEqual([asked?.agentName, asked?.type], ['fleet-production', JobType.JT_ROOM])
  assert.equal(asked?.allowedPermissions?.canPublish, true)
  await server.until(() => server.said('updateWorker').length > 0)
  assert.equal(server.said('updateWorker')[0]?.status, WorkerStatus.WS_AVAILABLE)
})

test('a call that is offered is accepted, run when it is assigned, and reported to the server when it is over', async (t) => {
  const { server, jobs, dispatch } = await registered(t)
  server.offer('J1')
  await server.until(() => server.said('availability').length === 1)
  const [{ jobId, available, participantIdentity } = {}] = server.said('availability')
  assert.deepEqual([jobId, available, participantIdentity], ['J1', true, 'agent-J1'])
  server.assign('J1')
  await server.until(() => server.said('updateJob').length === 1)
  const [job] = jobs
  assert.deepEqual(
    [job?.id, job?.room, job?.token, job?.url, job?.metadata],
    ['J1', 'room-J1', 'token-J1', server.address.url, 'about J1'],
  )
  assert.equal(dispatch.jobs, 1)
  job?.done()
  job?.done()
  await server.until(() => server.said('updateJob').length === 2)
  assert.deepEqual(
    server.said('updateJob').map(({ status }) => status),
    [JobStatus.JS_RUNNING, JobStatus.JS_SUCCESS],
  )
  assert.equal(dispatch.jobs, 0)
})

test('two calls that are offered at the same time are not both accepted for the last place', async (t) => {
  const { server } = await registered(t)
  server.offer('J1')
  server.offer('J2')
  await server.until(() => server.said('availability').length === 2)
  assert.deepEqual(
    server.said('availability').map(({ available }) => available),
    [true, false],
  )
  await server.until(() => server.said('updateWorker').at(-1)?.status === WorkerStatus.WS_FULL)
})

test('a call that was never accepted is not run', async (t) => {
  const { server, jobs } = await registered(t)
  server.assign('J9')
  server.offer('J1')
  await server.until(() => server.said('availability').length === 1)
  assert.deepEqual(jobs, [])
})

test('a worker that drains accepts nothing, and says that it is full', async (t) => {
  const { server, dispatch } = await registered(t, 5)
  dispatch.drain()
  server.offer('J1')
  await server.until(() => server.said('availability').length === 1)
  assert.equal(server.said('availability')[0]?.available, false)
  assert.equal(server.said('updateWorker').at(-1)?.status, WorkerStatus.WS_FULL)
})

test('a worker that begins to drain while it asks whether others have a place accepts nothing', async (t) => {
  const others = Promise.withResolvers<boolean>()
  const asked = Promise.withResolvers<void>()
  const overflow = () => {
    asked.resolve()
    return others.promise
  }
  const { server, dispatch } = await registered(t, 0, overflow)
  server.offer('J1')
  await asked.promise
  dispatch.drain()
  others.resolve(true)
  await server.until(() => server.said('availability').length === 1)
  assert.equal(server.said('availability')[0]?.available, false)
})

test('a call that the server takes away is reported to the code that runs it', async (t) => {
  const { server, jobs } = await registered(t)
  server.offer('J1')
  await server.until(() => server.said('availability').length === 1)
  server.assign('J1')
  await server.until(() => server.said('updateJob').length === 1)
  const gone = new Promise((resolve) => jobs[0]?.signal.addEventListener('abort', resolve))
  server.terminate('J1')
  await gone
})

test('a worker that lost the server registers again, and its calls continue', async (t) => {
  const { server, jobs, lost } = await registered(t, 2)
  server.offer('J1')
  await server.until(() => server.said('availability').length === 1)
  server.assign('J1')
  await server.until(() => server.said('updateJob').length === 1)
  server.cut()
  await server.until(() => server.said('register').length === 2)
  assert.deepEqual(lost, ['the media server was lost: calls in progress go on, and it is asked again'])
  assert.equal(jobs[0]?.signal.aborted, false)
  server.sendBytes(Uint8Array.of(255, 255, 255)) // words of a newer server
  jobs[0]?.done('the vendor failed')
  await server.until(() => server.said('updateJob').length === 2)
  const { status, error } = server.said('updateJob')[1] ?? {}
  assert.deepEqual([status, error], [JobStatus.JS_FAILED, 'the vendor failed'])
})

test(
  'a server that answers nothing any more, though its connection is open, is lost too',
  { timeout: 60_000 },
  async (t) => {
    const { server, lost } = await registered(t)
    await server.until(() => server.said('ping').length === 1)
    assert.deepEqual(lost, [])
    server.isAnswering = false
    await server.until(() => server.said('register').length === 2)
    assert.deepEqual(lost, ['the media server was lost: calls in progress go on, and it is asked again'])
    server.isAnswering = true
    await server.until(() => server.said('register').length === 3)
    server.offer('J1')
    await server.until(() => server.said('availability').length > 0)
  },
)

test('a server that refuses the worker, or is not there, is reported in a sentence', async (t) => {
  const server = await LiveKitAgentSocket.start()
  t.after(() => server.stop())
  const refused = new MediaError('the media server did not take this worker')
  const options = { fleet: 'f', free: () => 1, load: () => 0, onJob: () => {} }
  const wrong = { ...server.address, secret: 'another-secret-that-is-as-long-as-the-real' }
  await assert.rejects(LiveKitDispatch.register({ ...options, address: wrong }), refused)
  const nowhere = { ...server.address, url: 'http://127.0.0.1:9' }
  await assert.rejects(LiveKitDispatch.register({ ...options, address: nowhere }), refused)
})
