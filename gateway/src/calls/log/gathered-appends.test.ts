import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CountingProxy } from '../../../testing/counting-proxy.ts'
import { SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { startDeployment, type Deployment } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'
import { secondMs } from '../../foundation/clock.ts'

const calls = 60
const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const org = await deployment.newOrg()
const desk = await new SpokenAgent(deployment, org, 'desk').route()
await desk.holdingApp()
const proxy = await CountingProxy.start(deployment.database.url)
after(() => proxy[Symbol.dispose]())
const counted = await deployment.another({ SVC_DATABASE_URL: proxy.url })
const said = { type: 'user.message', data: { text: 'Hello', messageId: 'm_1' } }

const caller = { org: org.id, env: 'sandbox', kind: 'fleet' } as Parameters<
  typeof deployment.gateway.services.entryAppender.append
>[0]
const opened = await Promise.all(Array.from({ length: calls }, () => desk.open()))
const appendAll = ({ gateway }: Deployment) =>
  Promise.all(opened.map((call) => gateway.services.entryAppender.append(caller, call, { entries: [said] })))

test('calls that append at the same moment cost their gateway a few statements together, heartbeats included', async () => {
  counted.clock.forward(2 * secondMs) // so that each heartbeat is due
  const now = counted.clock.now()
  const before = proxy.statements
  const answers = await appendAll(counted)
  const statements = proxy.statements - before
  assert.ok(statements < calls, `${statements} statements`)
  assert.ok(answers.every(({ seq }) => seq > 1))
  const beaten = 'select from call_heartbeats where call = any($1) and beat_at >= $2'
  assert.equal((await deployment.sql(beaten, [opened, now])).rowCount, calls)
})

test('entries that another gateway wrote to many logs are read in a few statements, each entry once', async (t) => {
  const seen = new Map<string, number[]>()
  for (const call of opened) {
    const { seq, stop } = await counted.gateway.services.liveLogs.follow(call, (entries) =>
      seen.get(call)?.push(...entries.map((entry) => entry.seq)),
    )
    seen.set(call, [seq])
    t.after(stop)
  }
  const before = proxy.statements
  await appendAll(deployment)
  await until('the other gateway has them', () => [...seen.values()].every((seqs) => seqs.length > 1))
  const statements = proxy.statements - before
  assert.ok(statements < calls, `${statements} statements`)
  for (const seqs of seen.values()) assert.deepEqual(seqs, [seqs[0], (seqs[0] ?? 0) + 1])
})

test('a heartbeat that somebody holds keeps no append waiting, neither of its call nor of others', async () => {
  counted.clock.forward(4 * secondMs)
  const held = opened.slice(0, 1)
  const client = await deployment.gateway.services.database.pool.connect()
  try {
    await client.query('begin')
    await client.query('select from call_heartbeats where call = any($1) for update', [held])
    const now = counted.clock.now()
    await appendAll(counted)
    const beaten = 'select call from call_heartbeats where call = any($1) and beat_at >= $2'
    const { rows } = await deployment.sql(beaten, [opened, now])
    assert.deepEqual(new Set(rows.map(({ call }) => call)), new Set(opened.slice(1)))
  } finally {
    await client.query('rollback')
    client.release()
  }
})
