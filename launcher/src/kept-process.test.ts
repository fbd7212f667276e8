import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { afterwards, temporaryFolder } from '../testing/folders.ts'
import { until } from '../testing/waiting.ts'
import { openLog } from './data-folder.ts'
import { KeptProcess } from './kept-process.ts'

function gatewayThat(t: TestContext, does: string) {
  const folder = temporaryFolder(t)
  const program = join(folder, 'gateway.mjs')
  writeFileSync(program, does)
  const told: string[] = []
  const log = openLog(folder, 'gateway.log')
  const gateway = new KeptProcess({
    name: 'the gateway',
    program,
    folder,
    environment: {},
    log,
    tell: (line) => told.push(line),
  })
  afterwards(t, () => gateway.stop())
  const interruption = new AbortController()
  return {
    told,
    log,
    start: () => gateway.start(interruption.signal),
    startOrRetry: () => gateway.startOrRetry(interruption.signal),
    stop: () => gateway.stop(),
    interruption,
  }
}

const runsScript = `process.send('ready'); setInterval(() => {}, 1000)`

test('a gateway that cannot start gives the launcher its sentence and its status (ID-28)', async (t) => {
  const { start } = gatewayThat(t, `console.error('SVC_PORT is not a port'); process.exit(2)`)
  await assert.rejects(start(), { message: 'SVC_PORT is not a port', status: 2 })
})

test('a gateway that crashes is reported in one line that names its log, which has the details', async (t) => {
  const { start, log } = gatewayThat(t, `throw new Error('broken')`)
  await assert.rejects(start(), {
    message: `the gateway stopped before it was ready (status 1): read ${log.file}`,
  })
  assert.match(readFileSync(log.file, 'utf8'), /Error: broken\n\s+at /)
})

test('a gateway that dies while it runs is reported and restarted', async (t) => {
  const once = `
    import { existsSync, writeFileSync } from 'node:fs'
    if (!existsSync('died')) setTimeout(() => { writeFileSync('died', ''); process.exit(7) }, 50)`
  const { start, stop, told, log } = gatewayThat(t, `${once}\n${runsScript}`)
  await start()
  await until('it runs again', () => told.length === 2)
  assert.deepEqual(told, [
    `the gateway stopped (status 7), restarting in 1 s: read ${log.file}`,
    'the gateway is running again',
  ])
  await stop()
})

test('an interrupted start stops the gateway', async (t) => {
  const { start, interruption } = gatewayThat(t, `setInterval(() => {}, 1000)`)
  const starting = start()
  interruption.abort()
  await assert.rejects(starting, /the gateway stopped before it was ready \(SIGTERM\)/)
})

test('an optional process that cannot start is reported and restarted', async (t) => {
  const secondTime = `
    import { existsSync, writeFileSync } from 'node:fs'
    if (!existsSync('tried')) { writeFileSync('tried', ''); console.error('not today'); process.exit(3) }`
  const { startOrRetry, told } = gatewayThat(t, `${secondTime}\n${runsScript}`)
  await startOrRetry()
  assert.deepEqual(told, ['not today'])
  await until('it runs', () => told.length === 2)
  assert.deepEqual(told, ['not today', 'the gateway is running again'])
})

test('an interrupted start of such a process stops it without a word', async (t) => {
  const { startOrRetry, interruption, told } = gatewayThat(t, `setInterval(() => {}, 1000)`)
  const starting = startOrRetry()
  interruption.abort()
  await starting
  assert.deepEqual(told, [])
})
