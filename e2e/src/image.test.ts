import assert from 'node:assert/strict'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { migratedDatabase } from '@switchroom/gateway/testing/databases'
import { fleetKey, operatorKey, testEnvironment } from '@switchroom/gateway/testing/deployment'
import { closeTogether, pipeBoth, startPostgresProxy } from '@switchroom/gateway/testing/postgres-proxy'
import { afterwards, temporaryFolder, type Lasting } from '@switchroom/launcher/testing/folders'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { until } from '@switchroom/launcher/testing/waiting'
import { collectImage, Container, image, whyNoContainers } from './container.ts'

const skip = whyNoContainers()
const tree = skip === false ? collectImage({ after }) : ''

/** Over TCP, because the socket of the run's server is for its owner alone. */
async function databaseUrl(t: Lasting): Promise<string> {
  const database = await migratedDatabase()
  afterwards(t, () => database.drop())
  const proxy = await startPostgresProxy(database.url, (client, server) => {
    pipeBoth(client, server)
    closeTogether(client, server)
  })
  afterwards(t, () => proxy.close())
  return proxy.url
}

const portNames = [
  'SVC_PORT',
  'SVC_DASHBOARD_PORT',
  'SVC_VOICE_PORT',
  'SVC_WORKER_HEALTH_PORT',
  'SVC_SIP_PORT',
]

async function ports(): Promise<Record<string, string>> {
  const found = new Set<number>()
  while (found.size < portNames.length) found.add(await freePort())
  const free = [...found].map(String)
  return { SVC_METRICS_PORT: '0', ...Object.fromEntries(portNames.map((name, at) => [name, free[at] ?? ''])) }
}

const settingsOf = (free: Record<string, string>) =>
  Object.entries(free).map(([name, value]) => `${name}=${value}`)

/** The health check of the image, with the settings that a container has. */
const isHealthy = (container: Container, settings: Record<string, string>) =>
  container.exec(['env', ...settingsOf(settings), ...image.healthCheck])

/** As node's first process in its own numbering, of the image's user, without a capability. */
function assertConfined(container: Container) {
  assert.equal(container.status('NSpid').split('\t').at(-1), '1')
  assert.match(readlinkSync(`/proc/${container.pid}/exe`), /\/bin\/node$/)
  assert.deepEqual(container.status('Uid').split('\t').map(Number), Array(4).fill(image.uid))
  assert.match(container.status('CapBnd'), /^0+$/)
  assert.equal(container.status('NoNewPrivs'), '1')
}

test(
  'the image holds the programs and the packages that they need, and neither tests nor what builds or checks them',
  { skip },
  () => {
    const files = readdirSync(tree, { recursive: true, encoding: 'utf8' })
    const own = files.filter((file) => !file.startsWith('node_modules/'))
    assert.ok(own.length > 1000)
    assert.deepEqual(
      own.filter((file) => /\.test\.ts$|(^|\/)testing\//.test(file)),
      [],
    )
    for (const unneeded of [
      'typescript',
      'oxlint',
      'vite',
      'playwright-core',
      '@types/node',
      'node',
      '@switchroom/e2e',
      '@switchroom/tools',
    ])
      assert.equal(existsSync(join(tree, 'node_modules', unneeded)), false, unneeded)
    for (const needed of [
      'bin/node',
      'bin/switchroom',
      'bin/health.mjs',
      'LICENSE',
      'console/dist/index.html',
      'node_modules/onnxruntime-node',
      'examples/hello/hello.ts',
    ])
      assert.equal(existsSync(join(tree, needed)), true, needed)
  },
)

test(
  'gateway, voice server and worker run from the image as another user on a read-only file system; its health check asks them, and SIGTERM stops them',
  { skip },
  async (t) => {
    const free = await ports()
    const shared = {
      ...free,
      SVC_FLEET_KEY: fleetKey,
      SVC_GATEWAY_URL: `http://127.0.0.1:${free['SVC_PORT']}`,
    }
    const database = await databaseUrl(t)
    const run = (command: string, settings: Record<string, string>) =>
      Container.run(t, tree, { command: [command], settings })
    const gateway = run('gateway', testEnvironment(database, { ...free, SVC_RECORDINGS: '/data' }))
    await gateway.untilSaid(/"listening"/)
    const voiceServer = run('voice-server', shared)
    const worker = run('worker', { ...shared, SVC_WORKER_CALLS: '2' })
    await Promise.all([voiceServer.untilSaid(/"listening"/), worker.untilSaid(/"listening"/)])

    const url = `http://127.0.0.1:${free['SVC_PORT']}`
    const answer = await fetch(`${url}/v1/ops/workers`, {
      headers: { authorization: `Bearer ${operatorKey}` },
    })
    assert.equal(answer.status, 200)
    assert.match(await (await fetch(url)).text(), /<script/, 'the console is served')
    const ready = `http://127.0.0.1:${free['SVC_WORKER_HEALTH_PORT']}/readyz`
    await until('the worker is ready', async () => (await fetch(ready)).status === 200)
    for (const container of [gateway, voiceServer, worker]) {
      assertConfined(container)
      assert.deepEqual(isHealthy(container, free), { status: 0, output: '' })
      assert.match(container.exec(['touch', '/opt/switchroom/x']).output, /Read-only file system/)
      assert.match(container.exec(['touch', '/etc/x']).output, /Read-only file system|Permission denied/)
    }
    for (const container of [worker, voiceServer, gateway]) {
      assert.equal(await container.stop(), 0, container.said)
      assert.match(container.said, /"stopped"/)
    }
  },
)

test(
  'the launcher runs a whole deployment from the image on one volume, its PostgreSQL included, and SIGTERM stops all of it',
  { skip },
  async (t) => {
    const free = await ports()
    const data = temporaryFolder(t, process.env['TEST_DISK'])
    const settings = { ...free, SVC_DEMO: 'off', SVC_WORKER_CALLS: '2' }
    const launcher = Container.run(t, tree, { command: [], settings, data })
    await launcher.untilSaid(/Press Ctrl-C/)
    assertConfined(launcher)
    assert.deepEqual(isHealthy(launcher, free), { status: 0, output: '' })
    const key = launcher.exec(['cat', '/data/operator.key']).output.trim()
    const orgs = await fetch(`http://127.0.0.1:${free['SVC_PORT']}/v1/ops/orgs`, {
      headers: { authorization: `Bearer ${key}` },
    })
    assert.equal(orgs.status, 200)
    assert.equal(await launcher.stop(), 0)
    assert.match(launcher.said, /stopped\n$/)
  },
)

test(
  'a program that is stopped while it starts ends, though it is the first process of its container',
  { skip },
  async (t) => {
    const stopEarly = async () => {
      const free = await ports()
      const settings = { ...free, SVC_FLEET_KEY: fleetKey, SVC_WORKER_CALLS: '5' }
      const worker = Container.run(t, tree, { command: ['worker'], settings })
      const url = `http://127.0.0.1:${free['SVC_WORKER_HEALTH_PORT']}/readyz`
      const answer = await until('it says that it starts', () => fetch(url).catch(() => undefined))
      assert.deepEqual(await answer.json(), { detail: 'this worker is starting' })
      return worker.stop()
    }
    // A machine that stood still in between stopped one that had started.
    const statuses = [await stopEarly()]
    while (statuses.at(-1) === 0 && statuses.length < 3) statuses.push(await stopEarly())
    assert.equal(statuses.at(-1), 143)
  },
)

test(
  'a command that is no program, and a health check that fails, say so in a sentence',
  { skip },
  async (t) => {
    const wrong = Container.run(t, tree, { command: ['gatway'] })
    assert.equal(await wrong.ended, 2)
    assert.equal(
      wrong.said,
      'there is no program gatway: use gateway, voice-server, worker, launcher, svc or health\n',
    )
    const free = await ports()
    const asked = Container.run(t, tree, { command: ['health', 'gateway'], settings: free })
    assert.equal(await asked.ended, 1)
    assert.equal(asked.said, `http://127.0.0.1:${free['SVC_PORT']}/healthz does not answer: ECONNREFUSED\n`)
    const unnamed = Container.run(t, tree, { command: ['health'] })
    assert.equal(await unnamed.ended, 1)
    assert.equal(
      unnamed.said,
      'no program was started in this container: name one, as switchroom health gateway\n',
    )
    const help = Container.run(t, tree, { command: ['svc', 'help'] })
    assert.equal(await help.ended, 0)
    assert.match(help.said, /^The command line of a Switchroom gateway/)
  },
)
