import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment, type Deployment } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'
import { minuteMs } from '../../foundation/clock.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
// The gateway that runs written calls also deletes unknown gateways on its own; these tests decide when.
for (const { gateway } of [deployment, other]) await gateway.services.writtenCalls.stop()
const { mailbox } = deployment.gateway.services
const there = other.gateway.services.runningGateways.id
const waiting = async () => Number((await deployment.sql('select count(*) from posts')).rows[0].count)
const read = (kind: string, { gateway }: Deployment = other) => {
  const came: number[] = []
  gateway.services.mailbox.on<{ n: number }>(kind, ({ n }) => came.push(n))
  return came
}

test('a gateway reads what is sent to it once and in order, and another reads none of it', async () => {
  const [came, astray] = [read('count'), read('count', deployment)]
  const all = Array.from({ length: 500 }, (_, n) => n)
  await Promise.all(all.map((n) => mailbox.send(there, 'count', { n, text: 'x'.repeat(20_000) })))
  await until('all came', () => came.length >= all.length)
  assert.deepEqual(came, all)
  assert.deepEqual([astray, await waiting()], [[], 0])
})

test('a message without a reader, or whose reader throws, is logged and does not stop the rest', async () => {
  const came = read('fine')
  other.gateway.services.mailbox.on('broken', () => {
    throw new Error('broken on purpose')
  })
  await mailbox.send(there, 'unknown', {})
  await mailbox.send(there, 'broken', {})
  await mailbox.send(there, 'fine', { n: 1 })
  await until('the last came', () => came.length === 1)
  assert.match(other.log(), /no reader for messages of kind unknown/)
  assert.match(other.log(), /broken on purpose/)
})

test('what came while a gateway heard nothing is read once it hears again', async () => {
  const came = read('missed')
  await deployment.sql(
    `insert into posts (gateway, kind, body, at) values ($1, 'missed', '{"n": 7}', now())`,
    [there],
  )
  await deployment.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'switchroom-signals'
     and datname = current_database()`,
  )
  await until('it came', () => came.length === 1)
  assert.deepEqual(came, [7])
})

test('what was sent to a gateway that is gone is forgotten, and what one that lives has not read yet stays', async () => {
  await mailbox.send('gw_gone', 'count', { n: 1 })
  await deployment.sql(`insert into gateways (id, seen_at) values ('gw_busy', now())`)
  const unread = `insert into posts (gateway, kind, body, at) values ('gw_busy', 'count', '{}', now()) returning id`
  const { rows } = await deployment.sql(unread)
  await mailbox.deleteExpired()
  assert.equal(await waiting(), 2)
  deployment.clock.forward(2 * minuteMs)
  await mailbox.deleteExpired()
  assert.deepEqual((await deployment.sql('select id from posts')).rows, rows)
})

test('a message whose notice was lost is read within seconds', async () => {
  const came = read('unheard')
  await deployment.sql(
    `insert into posts (gateway, kind, body, at) values ($1, 'unheard', '{"n": 9}', now())`,
    [there],
  )
  await until('it came', () => came.length === 1)
  assert.deepEqual(came, [9])
})
