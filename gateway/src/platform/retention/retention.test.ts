import assert from 'node:assert/strict'
import { after, mock, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'
import { dayMs, minuteMs } from '../../foundation/clock.ts'
import { PeriodicTasks } from '@switchroom/process/periodic-tasks'
import { readSettings } from '../../foundation/settings.ts'
import { testEnvironment } from '../../../testing/deployment.ts'
import { Retention } from './retention.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment
const { database, logger } = deployment.gateway.services
const nothing = { entries: 0, calls: 0, dials: 0, keys: 0, claims: 0, audit: 0 }
const none = async () => 0
const noDeletions = { entries: none, calls: none, dials: none, keys: none, claims: none, audit: none }

/** A gateway's retention with a clock of its own, and how often it ran. */
function newRetention(at: string, forget: () => Promise<number> = async () => 0) {
  const clock = { at: new Date(at), now: () => clock.at }
  let runs = 0
  const entries = async () => {
    runs += 1
    return forget()
  }
  const retention = new Retention({
    database,
    clock,
    logger,
    deletions: { ...noDeletions, entries },
  })
  return { retention, clock, runs: () => runs }
}
const newNight = () => sql('delete from retention_run')

test('the night’s run is at 03:00 UTC, and once (ND-86)', async () => {
  await newNight()
  const { retention, clock, runs } = newRetention('2031-05-01T02:59:00Z', async () => 7)
  await retention.poll() // the night before, which no gateway had run
  assert.equal(runs(), 1)
  for (const [at, count] of [
    ['2031-05-01T02:59:59.999Z', 1],
    ['2031-05-01T03:00:00Z', 2],
    ['2031-05-01T03:01:00Z', 2],
    ['2031-05-02T02:59:59Z', 2],
    ['2031-05-02T03:00:30Z', 3],
  ] as const) {
    clock.at = new Date(at)
    await retention.poll()
    assert.equal(runs(), count, at)
  }
})

test('of several gateways that poll at the same time, one runs it (ND-86)', async () => {
  for (let round = 0; round < 5; round += 1) {
    await newNight()
    const all = Array.from({ length: 8 }, () => newRetention('2031-05-01T03:00:00Z'))
    const answers = await Promise.all(all.map(({ retention }) => retention.poll()))
    assert.equal(answers.filter((answer) => answer !== undefined).length, 1)
    assert.equal(
      all.reduce((sum, { runs }) => sum + runs(), 0),
      1,
    )
  }
})

test('a run that its gateway did not live to end is taken up by another after six hours, one that ended is not (ND-86)', async () => {
  await newNight()
  const dead = newRetention('2031-05-01T03:00:00Z', () => Promise.reject(new Error('killed')))
  await assert.rejects(dead.retention.poll(), /killed/)
  const other = newRetention('2031-05-01T08:59:00Z')
  await other.retention.poll()
  assert.equal(other.runs(), 0)
  other.clock.at = new Date('2031-05-01T09:01:00Z')
  await other.retention.poll()
  assert.equal(other.runs(), 1)
  other.clock.at = new Date('2031-05-01T20:00:00Z')
  await other.retention.poll()
  assert.equal(other.runs(), 1)
})

test('a gateway whose clock is a night behind runs nothing again (ND-86)', async () => {
  await newNight()
  await newRetention('2031-05-02T03:00:00Z').retention.poll()
  const behind = newRetention('2031-05-01T12:00:00Z')
  assert.equal(await behind.retention.poll(), undefined)
})

test('a gateway looks every minute, and stops its run when it stops', async () => {
  await newNight()
  mock.timers.enable({ apis: ['setInterval'] })
  let signalled: AbortSignal | undefined
  const clock = { now: () => new Date('2031-05-01T03:00:00Z') }
  const entries = (signal: AbortSignal) => {
    signalled = signal
    return new Promise<number>((resolve) => signal.addEventListener('abort', () => resolve(3)))
  }
  const retention = new Retention({
    database,
    clock,
    logger,
    deletions: { ...noDeletions, entries },
  })
  const tasks = new PeriodicTasks(logger)
  tasks.start(retention.task)
  mock.timers.tick(minuteMs)
  await until('it runs', () => signalled)
  retention.stop()
  await tasks.stopAll()
  mock.timers.reset()
  assert.equal(signalled?.aborted, true)
  const { rows } = await sql('select ended_at from retention_run')
  assert.deepEqual(rows, [{ ended_at: null }]) // the rest is another's
})

test('the deployment runs it by itself', async () => {
  await newNight()
  await using gateway = await deployment.another()
  assert.deepEqual(await gateway.gateway.services.retention.poll(), nothing)
  assert.equal(await deployment.gateway.services.retention.poll(), undefined)
})

test('the operator runs it at once, and no one else may (ND-86)', async () => {
  const answer = await deployment.operator.post('/v1/ops/retention')
  assert.deepEqual([answer.status, answer.body], [200, nothing])
  const { client } = await (await deployment.newOrg()).person('admin')
  refused(await client.post('/v1/ops/retention'), 403, "this door is the operator's")
})

test('lives are whole numbers of days, and 0 is for ever; dials are kept for a month at least', () => {
  const read = (wanted: Record<string, string>) => readSettings(testEnvironment('postgresql://x', wanted))
  assert.deepEqual(read({}).lives, {})
  const set = { SVC_LOG_DAYS: '1', SVC_CALL_DAYS: '0', SVC_DIAL_DAYS: '30', SVC_KEY_DAYS: '36500' }
  assert.deepEqual(read(set).lives, { logs: 1, calls: 0, dials: 30, keys: 36_500 })
  assert.deepEqual(
    [read({}).auditKeptMs, read({ SVC_AUDIT_DAYS: '0' }).auditKeptMs],
    [730 * dayMs, undefined],
  )
  for (const [name, value, sentence] of [
    ['SVC_LOG_DAYS', '1.5', 'SVC_LOG_DAYS is not a whole number: 1.5'],
    ['SVC_CALL_DAYS', '40000', 'SVC_CALL_DAYS is 40000: at most 36500 days, and 0 is for ever'],
    ['SVC_AUDIT_DAYS', '40000', 'SVC_AUDIT_DAYS is 40000: at most 36500 days, and 0 is for ever'],
    ['SVC_DIAL_DAYS', '29', 'SVC_DIAL_DAYS is 29: 30 days or more, and 0 is for ever'],
  ] as const)
    assert.throws(() => read({ [name]: value }), { message: sentence })
})
