import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { temporaryFolder } from '../testing/folders.ts'
import { fleetKey, openDataFolder, openLog, operatorKey, rotateLogs, vaultKey } from './data-folder.ts'

const permissions = (path: string) => statSync(path).mode & 0o777

test('the data folder and its keys are for their owner only, and a second run reads the same keys (ID-27, T-93)', (t) => {
  const folder = join(temporaryFolder(t), 'a', 'data')
  openDataFolder(folder)
  const keys = [vaultKey(folder), operatorKey(folder), fleetKey(folder)]
  assert.equal(permissions(folder), 0o700)
  for (const name of ['vault.key', 'operator.key', 'fleet.key'])
    assert.equal(permissions(join(folder, name)), 0o600)
  assert.equal(Buffer.from(keys[0] ?? '', 'base64').length, 32)
  assert.match(keys[1] ?? '', /^svc_op_[\w-]{43}$/)
  assert.match(keys[2] ?? '', /^svc_fleet_[\w-]{43}$/)
  openDataFolder(folder)
  assert.deepEqual([vaultKey(folder), operatorKey(folder), fleetKey(folder)], keys)
  assert.deepEqual(readdirSync(folder).toSorted(), ['fleet.key', 'operator.key', 'vault.key'])
})

test('many launchers that make a key at the same moment agree on it (ID-27, T-93)', async (t) => {
  const folder = temporaryFolder(t)
  const source = `
    import { parentPort, workerData } from 'node:worker_threads'
    const { operatorKey } = await import(workerData.module)
    parentPort.once('message', () => parentPort.postMessage(operatorKey(workerData.folder)))
    parentPort.postMessage('ready')`
  const workerData = { module: import.meta.resolve('./data-folder.ts'), folder }
  const workers = Array.from({ length: 6 }, () => {
    return new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), { workerData })
  })
  const next = (worker: Worker) => new Promise((resolve) => worker.once('message', resolve))
  await Promise.all(workers.map(next))
  const keys = workers.map(next)
  for (const worker of workers) worker.postMessage('go', [])
  assert.equal(new Set(await Promise.all(keys)).size, 1)
  assert.deepEqual(readdirSync(folder), ['operator.key'])
})

test('an empty key file is reported, not used and not replaced', (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'vault.key'), '')
  assert.throws(() => vaultKey(folder), /vault\.key is empty: restore it/)
})

test('a lost vault key is not replaced beside a database that is sealed with it (ID-30)', (t) => {
  const folder = temporaryFolder(t)
  vaultKey(folder)
  mkdirSync(join(folder, 'postgres'))
  rmSync(join(folder, 'vault.key'))
  assert.throws(() => vaultKey(folder), /vault\.key is missing.*restore it, or set SVC_VAULT_KEY$/)
})

test('an empty folder that others may read is closed to them; one with other files in it is refused', (t) => {
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o755)
  openDataFolder(folder)
  assert.equal(permissions(folder), 0o700)

  chmodSync(folder, 0o755)
  writeFileSync(join(folder, 'another-users'), '')
  assert.throws(() => openDataFolder(folder), /is open to other users and holds other files: set SVC_DATA/)
  assert.equal(permissions(folder), 0o755)
})

test('a data folder that is a file is refused with what to do', (t) => {
  const file = join(temporaryFolder(t), 'data')
  writeFileSync(file, '')
  assert.throws(() => openDataFolder(file), {
    message: /^the data folder .*data cannot be written: .*SVC_DATA/,
  })
})

test('a log above 10 MB is put aside at the start', (t) => {
  const folder = temporaryFolder(t)
  const { file } = openLog(folder, 'gateway.log')
  truncateSync(file, 11 * 1024 * 1024)
  openLog(folder, 'gateway.log')
  assert.deepEqual(readdirSync(join(folder, 'logs')).toSorted(), ['gateway.log', 'gateway.log.1'])
  assert.equal(readFileSync(file).length, 0)
})

test('a log that grows above 10 MB while a process writes to it is put aside, and the process goes on writing', (t) => {
  const folder = temporaryFolder(t)
  const { file, descriptor } = openLog(folder, 'gateway.log')
  writeSync(descriptor, 'x'.repeat(11 * 1024 * 1024))
  openLog(folder, 'worker.log')
  rotateLogs(folder)
  writeSync(descriptor, 'next\n')
  assert.equal(readFileSync(file, 'utf8'), 'next\n')
  assert.equal(readFileSync(`${file}.1`).length, 11 * 1024 * 1024)
  assert.equal(permissions(`${file}.1`), 0o600)
  rotateLogs(folder)
  assert.deepEqual(readdirSync(join(folder, 'logs')).toSorted(), [
    'gateway.log',
    'gateway.log.1',
    'worker.log',
  ])
})
