import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { afterwards, temporaryFolder } from '../testing/folders.ts'
import { processesOf } from '../testing/processes.ts'
import { until } from '../testing/waiting.ts'
import { openLog } from './data-folder.ts'
import { startPostgres, startThrowawayPostgres, type Postgres } from './postgres.ts'
import { postgresAccount } from './postgres-account.ts'

const shared = mkdtempSync(join(tmpdir(), 'switchroom-test-')) // one cluster for the tests that only start it
before(async () => (await startIn(shared)).stop())
after(() => rmSync(shared, { recursive: true, force: true }))

const socketFolderOf = (postgres: Postgres) =>
  new URL(postgres.url('postgres')).searchParams.get('host') ?? ''

/** Whether a server is there: it answers the question for encryption with one letter. */
async function answers(postgres: Postgres): Promise<boolean> {
  const socket = connect(join(socketFolderOf(postgres), '.s.PGSQL.5432'))
  socket.end(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]))
  try {
    const [letter] = await once(socket, 'data')
    return String(letter) === 'N'
  } catch {
    return false
  }
}

function startIn(folder: string, signal = new AbortController().signal): Promise<Postgres> {
  return startPostgres({ cluster: join(folder, 'postgres'), log: openLog(folder, 'postgres.log'), signal })
}

async function startFor(t: TestContext, folder: string): Promise<Postgres> {
  const postgres = await startIn(folder)
  afterwards(t, () => postgres.stop())
  return postgres
}

test('a throw-away server answers, and nothing is left of it once it stopped', async (t) => {
  const postgres = await startThrowawayPostgres()
  afterwards(t, () => postgres.stop())
  const folder = join(socketFolderOf(postgres), '..')
  assert.ok(await answers(postgres))
  await postgres.stop()
  assert.ok(!existsSync(folder))
  assert.deepEqual(processesOf(folder), [])
})

test('a throw-away server is gone, with its folder, soon after its starter was killed', async (t) => {
  const source = `
    const { startThrowawayPostgres } = await import(${JSON.stringify(import.meta.resolve('./postgres.ts'))})
    console.log((await startThrowawayPostgres()).url('postgres'))`
  const starter = spawn(process.execPath, ['--input-type=module', '--eval', source], { stdio: 'pipe' })
  afterwards(t, () => starter.kill('SIGKILL'))
  const [url] = await once(starter.stdout, 'data')
  const folder = join(new URL(String(url)).searchParams.get('host') ?? '', '..')
  starter.kill('SIGKILL')
  await until('the folder is gone', () => !existsSync(folder))
  await until('its processes are gone', () => processesOf(folder).length === 0)
})

test('a data folder too deep for a socket is reached by a short link, which goes with the server', async (t) => {
  const folder = join(temporaryFolder(t), 'd'.repeat(60), 'e'.repeat(60))
  mkdirSync(folder, { recursive: true })
  const postgres = await startFor(t, folder)
  const link = socketFolderOf(postgres)
  assert.ok(link.length < 60)
  assert.ok(await answers(postgres))
  await postgres.stop()
  assert.ok(!existsSync(join(link, '..')))
})

test('lock files whose process id now belongs to another program do not keep the server from starting', async (t) => {
  const cluster = join(shared, 'postgres')
  const other = spawn('/bin/sleep', ['60'], { ...postgresAccount(cluster), stdio: 'ignore' })
  afterwards(t, () => other.kill())
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
    writeFileSync(join(cluster, name), `${other.pid}\n/elsewhere\n0\n5432\n.\n\n0 0\nready\n`)
  }
  assert.ok(await answers(await startFor(t, shared)))
  assert.equal(other.exitCode, null)
})

test('a server that outlived its launcher is ended before the next one starts', async (t) => {
  const leftover = await startFor(t, shared)
  const postgres = await startFor(t, shared)
  await leftover.ended
  assert.ok(await answers(postgres))
})

test('an interrupted first start leaves no half-made cluster', async (t) => {
  const folder = temporaryFolder(t)
  const interruption = new AbortController()
  const starting = startIn(folder, interruption.signal)
  await until('the cluster is being made', () =>
    readdirSync(folder).some((name) => name.startsWith('postgres.new-')),
  )
  interruption.abort()
  await assert.rejects(starting, { name: 'AbortError' })
  assert.deepEqual(readdirSync(folder), ['logs'])
  await until('its programs ended', () => processesOf(folder).length === 0)
})

test('a cluster that the server cannot read is reported in one line that names the log', async () => {
  writeFileSync(join(shared, 'postgres', 'PG_VERSION'), '9\n')
  await assert.rejects(startIn(shared), (error: Error) => {
    assert.match(
      error.message,
      /^PostgreSQL did not start \(.*incompatible.*\): read .*postgres\.log, then start again$/,
    )
    return true
  })
  assert.match(readFileSync(join(shared, 'logs', 'postgres.log'), 'utf8'), /FATAL/)
})
