import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { CountingProxy } from '@switchroom/gateway/testing/counting-proxy'
import { migratedDatabase } from '@switchroom/gateway/testing/databases'
import { fleetKey } from '@switchroom/gateway/testing/deployment'
import { afterwards, type Lasting } from '@switchroom/launcher/testing/folders'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { startedGateway } from '../gateway-process.ts'
import { WorkerProcess } from '../spoken-fixture.ts'

const measuredMs = 15_000
/** Less than two of the gateway itself, about one because workers wait, and about one for each of them. */
const mostPerSecond = 6

/** The lesser of two windows: what runs once a minute is not in both. */
async function perSecond(proxy: CountingProxy): Promise<number> {
  const rates: number[] = []
  while (rates.length < 2) {
    const [before, begunMs] = [proxy.statements, performance.now()]
    await pause(measuredMs)
    rates.push(((proxy.statements - before) * 1000) / (performance.now() - begunMs))
  }
  return Math.min(...rates)
}

async function startWorker(t: Lasting, url: string) {
  const sipPort = await freePort()
  const worker = new WorkerProcess(sipPort, {
    SVC_GATEWAY_URL: url,
    SVC_FLEET_KEY: fleetKey,
    SVC_SIP_PORT: String(sipPort),
    SVC_WORKER_CALLS: '5',
  })
  afterwards(t, async () => {
    worker.child.kill('SIGINT')
    await worker.ended
  })
  await worker.untilReady()
}

test('a gateway with two idle workers asks the database less than six times a second', async (t) => {
  const database = await migratedDatabase()
  afterwards(t, () => database.drop())
  const proxy = await CountingProxy.start(database.url)
  afterwards(t, () => proxy[Symbol.dispose]())
  const gateway = await startedGateway(proxy.url)
  afterwards(t, async () => {
    gateway.child.kill('SIGTERM')
    await gateway.ended
  })
  await Promise.all(['first', 'second'].map(() => startWorker(t, gateway.url)))
  await pause(2000) // what runs once at the start
  const idle = await perSecond(proxy)
  t.diagnostic(`${idle.toFixed(2)} statements a second`)
  assert.ok(idle > 1 && idle < mostPerSecond, `${idle} statements a second`)
})
