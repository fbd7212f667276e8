import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { key } from '../testing/connected.ts'
import { FakeLog } from '../testing/fake-log.ts'
import { until } from '../testing/until.ts'
import { GatewayRefusal } from './gateway-refusal.ts'
import { followCall, followLog, type FollowCallOptions } from './log-follower.ts'

/** A follower of the fake log, with what it has read so far. */
function follow(log: FakeLog, options: Partial<FollowCallOptions> = {}) {
  const seqs: number[] = []
  const losses: string[] = []
  const onLost = ({ message }: Error) => void losses.push(message)
  const reading = (async () => {
    const entries = followCall({ url: log.url, key, call: 'call_1', onLost, ...options })
    for await (const { seq } of entries) seqs.push(seq)
  })()
  reading.catch(() => {}) // each test awaits it where it matters
  return { seqs, losses, reading }
}

const startLog = (t: TestContext) => FakeLog.start(t)

test('a follower that is cut in the middle resumes after the last seq and gives each seq once', async (t) => {
  const log = await startLog(t)
  log.append('call.started', 'user.message')
  const { seqs, losses, reading } = follow(log)
  await until('the follower is at the end of the log', () => seqs.length === 2)
  log.cut()
  log.append('agent.message')
  await until('the follower is back', () => seqs.length === 3)
  log.repeat(2)
  log.append('call.ended')
  await reading
  assert.deepEqual(seqs, [1, 2, 3, 4])
  assert.deepEqual([log.cursors, losses.length], [[undefined, '2'], 1])
})

test('two followers of the same call each get every seq once, also when both are cut', async (t) => {
  const log = await startLog(t)
  log.append('call.started')
  const both = [follow(log), follow(log)]
  await until('both follow', () => log.readers === 2)
  log.append('user.message')
  log.cut()
  log.append('agent.message')
  await until('both are back', () => log.readers === 2)
  log.append('call.ended')
  await Promise.all(both.map(({ reading }) => reading))
  for (const { seqs } of both) assert.deepEqual(seqs, [1, 2, 3, 4])
})

test('what is live only and the markers of the stream are no entries, and do not move the cursor', async (t) => {
  const log = await startLog(t)
  const { seqs, reading } = follow(log)
  await until('the follower is there', () => log.readers === 1)
  log.append('call.started')
  log.show('user.speaking')
  log.append('user.message', 'call.ended')
  await reading
  assert.deepEqual(seqs, [1, 2, 3])
})

test('the log of an ended call is read to its end, and after its last entry there is nothing', async (t) => {
  const log = await startLog(t)
  log.append('call.started', 'call.ended')
  const whole = follow(log)
  await whole.reading
  const rest = follow(log, { after: 2 })
  await rest.reading
  assert.deepEqual([whole.seqs, rest.seqs, rest.losses], [[1, 2], [], []])
})

test('a 401, 403 or 404 is thrown in one sentence and not retried', async (t) => {
  const log = await startLog(t)
  for (const status of [401, 403, 404]) {
    log.refusals.push({ status, body: JSON.stringify({ detail: `refused with ${status}` }) })
    const asked = log.requests
    const code = status === 401 ? 'UNAUTHORIZED' : `HTTP_${status}`
    await assert.rejects(follow(log).reading, (error) => {
      assert.ok(error instanceof GatewayRefusal)
      assert.deepEqual([error.status, error.code, error.message], [status, code, `refused with ${status}`])
      return true
    })
    assert.equal(log.requests, asked + 1)
  }
})

test('a refusal while the log is followed ends it too, and one without a reason says the status', async (t) => {
  const log = await startLog(t)
  log.append('call.started')
  const { seqs, reading } = follow(log)
  await until('the follower is there', () => log.readers === 1 && seqs.length === 1)
  log.refusals.push({ status: 404, body: '<html>' })
  log.cut()
  await assert.rejects(reading, { message: 'the gateway answered 404 without a reason: check its address' })
})

test('a gateway that starts or is busy is asked again', async (t) => {
  const log = await startLog(t)
  log.append('call.started', 'call.ended')
  for (const status of [503, 429]) log.refusals.push({ status, body: '{"detail":"not now"}' })
  const { seqs, losses, reading } = follow(log)
  await reading
  assert.deepEqual(
    [seqs, losses],
    [
      [1, 2],
      ['not now', 'not now'],
    ],
  )
})

test('a connection on which nothing comes any more is made again', async (t) => {
  const log = await startLog(t)
  const headers = { authorization: `Bearer ${key}` }
  const losses: string[] = []
  const events = followLog({
    url: log.url,
    path: '/v1/calls/call_1/events',
    headers,
    silentMs: 100,
    hasEnd: true,
    onLost({ message }) {
      losses.push(message)
      if (losses.length === 1) log.append('call.ended')
    },
  })
  const seqs = (await Array.fromAsync(events)).flatMap(({ seq }) => seq ?? [])
  assert.deepEqual([seqs, losses], [[1], ['the gateway is silent']])
})

test('a follower stops when its signal aborts or its reader leaves, and closes its connection', async (t) => {
  const log = await startLog(t)
  log.append('call.started')
  const stop = new AbortController()
  const { seqs, reading } = follow(log, { signal: stop.signal })
  await until('the follower is there', () => log.readers === 1 && seqs.length === 1)
  stop.abort()
  await reading
  for await (const entry of followCall({ url: log.url, key, call: 'call_1' })) {
    assert.equal(entry.type, 'call.started')
    break
  }
  await until('the connections are closed', () => log.readers === 0)
})

test('a caller that gives up in onLost ends it with what it threw', async (t) => {
  const log = await startLog(t)
  log.refusals.push({ status: 503, body: '{"detail":"not now"}' })
  const onLost = (error: Error, hasConnected: boolean) => {
    if (!hasConnected) throw error
  }
  await assert.rejects(follow(log, { onLost }).reading, { message: 'not now', status: 503 })
})
