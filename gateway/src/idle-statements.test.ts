import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { CountingProxy } from '../testing/counting-proxy.ts'
import { startDeployment } from '../testing/deployment.ts'
import { until } from '../testing/until.ts'

// The statements of one gateway are counted: the first makes the database, and does not go through the proxy.
const first = await startDeployment()
after(() => first[Symbol.asyncDispose]())
const proxy = await CountingProxy.start(first.database.url)
after(() => proxy[Symbol.dispose]())
const org = await first.newOrg()
const measuredS = 15

/** Once a minute expired rows are deleted, which is a third of a statement a second: not in two windows that follow. */
async function perSecond(below: number): Promise<number> {
  const counted = await countedInWindow()
  return counted < below ? counted : countedInWindow()
}

async function countedInWindow(): Promise<number> {
  const before = proxy.statements
  const begunMs = performance.now()
  await pause(measuredS * 1000)
  return (proxy.statements - before) / ((performance.now() - begunMs) / 1000)
}

test('an idle gateway asks the database less than twice a second, and with 300 chats that wait for an app less than ten times', async (t) => {
  const gateway = await first.another({ SVC_DATABASE_URL: proxy.url })
  await pause(2000) // what runs once at the start
  const idle = await perSecond(2)
  t.diagnostic(`idle: ${idle.toFixed(2)} statements a second`)
  assert.ok(idle > 0.2 && idle < 2, `${idle} statements a second`)

  await first.gateway.services.writtenCalls.stop() // so that the counted gateway adopts them
  await first.sql(`insert into agents (org, slug, created_at) values ($1, 'desk', now())`, [org.id])
  await first.sql(
    `with opened as (
       insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary)
       select 'call_waiting' || n, $1, 'desk', 'sandbox', '', 'chat', now(), '[]', false
       from generate_series(1, 300) as n
       returning id
     )
     insert into logs (id, org, env, agent, call, runner) select id, $1, 'sandbox', 'desk', id, '' from opened`,
    [org.id],
  )
  const id = gateway.gateway.services.runningGateways.id
  await until('all are adopted', async () => {
    const { rows } = await first.sql('select count(*) from logs where runner = $1', [id])
    return Number(rows[0].count) === 300
  })
  let last = -1
  await until('all wait for an app', async () => {
    const before = last
    last = proxy.statements
    await pause(1000)
    return proxy.statements - last < 10 && before >= 0
  })
  const waiting = await perSecond(10)
  t.diagnostic(`with 300 chats that wait: ${waiting.toFixed(2)} statements a second`)
  assert.ok(waiting < 10, `${waiting} statements a second`)
})
