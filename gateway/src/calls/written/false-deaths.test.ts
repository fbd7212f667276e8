import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startDeployment } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'

const drops = 60

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const gateways = [deployment, await deployment.another(), await deployment.another()]
const ids = gateways.map(({ gateway }) => gateway.services.runningGateways.id)
const { sql } = deployment

const dropOne = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = 'switchroom-signals' and datname = current_database() order by random() limit 1`

test('of three gateways that lose the connection with their lock again and again none is taken for dead, and a killed one is', async () => {
  const forgotten: string[] = []
  for (const { gateway } of gateways) {
    const { runningGateways } = gateway.services
    runningGateways.onForgotten = () => forgotten.push(runningGateways.id)
  }
  for (let dropped = 0; dropped < drops;) {
    dropped += (await sql(dropOne)).rowCount ?? 0
    await pause(100)
  }
  await until('all hold their locks', async () => {
    const { rowCount } = await sql(
      `select from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and granted
       and database = (select oid from pg_database where datname = current_database())`,
    )
    return rowCount === 3
  })
  for (const { gateway } of gateways) await gateway.services.runningGateways.beat()
  assert.deepEqual(forgotten, [])

  await sql(`insert into gateways (id, seen_at) values ('gw_killed', now())`)
  await until('the killed one is forgotten', async () => {
    return (await sql(`select from gateways where id = 'gw_killed'`)).rowCount === 0
  })
  const { rows } = await sql('select id from gateways order by id')
  assert.deepEqual(
    rows.map(({ id }) => id),
    ids.toSorted(),
  )
})
