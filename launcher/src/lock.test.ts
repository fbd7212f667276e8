import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { afterwards, temporaryFolder } from '../testing/folders.ts'
import { lockFolder } from './lock.ts'

const holderScript = `
  const { lockFolder } = await import(${JSON.stringify(import.meta.resolve('./lock.ts'))})
  const lock = await lockFolder(process.argv[1], () => {})
  process.on('SIGUSR2', () => (lock.stopping(), console.log('stopping')))
  process.on('SIGTERM', () => (lock.release(), process.exit()))
  console.log('held')
  setInterval(() => lock, 1000)`

const inUse = (folder: string) => ({
  message:
    `the data folder ${folder} is in use by another running Switchroom: ` +
    `stop that one, or set SVC_DATA to another folder`,
  status: 1,
})
const never = () => assert.fail('nothing to wait for')

async function startHolder(t: TestContext, folder: string) {
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', holderScript, folder], {
    stdio: 'pipe',
  })
  afterwards(t, () => holder.kill('SIGKILL'))
  const warnings: string[] = []
  holder.stderr.on('data', (chunk) => warnings.push(String(chunk)))
  await once(holder.stdout, 'data')
  return { holder, warnings }
}

test('a held data folder is refused with what to do, and is free once its holder was killed', async (t) => {
  const folder = temporaryFolder(t)
  const { holder, warnings } = await startHolder(t, folder)
  await assert.rejects(lockFolder(folder, never), inUse(folder))
  holder.kill('SIGKILL')
  await once(holder, 'close')
  assert.deepEqual(warnings, [])
  for (let n = 0; n < 2; n += 1) (await lockFolder(folder, never)).release()
})

test('a start waits for a holder that is stopping, and holds the folder when that has ended', async (t) => {
  const folder = temporaryFolder(t)
  const { holder } = await startHolder(t, folder)
  holder.kill('SIGUSR2')
  await once(holder.stdout, 'data')
  const waits = Promise.withResolvers<void>()
  const locking = lockFolder(folder, waits.resolve)
  await waits.promise
  holder.kill('SIGTERM')
  const lock = await locking
  await assert.rejects(lockFolder(folder, never), inUse(folder), 'this one is not stopping')
  lock.release()
})

test('a start that waits is interrupted at once, and a holder killed while it stopped is not waited for', async (t) => {
  const folder = temporaryFolder(t)
  const { holder } = await startHolder(t, folder)
  holder.kill('SIGUSR2')
  await once(holder.stdout, 'data')
  const interrupted = new AbortController()
  const locking = lockFolder(folder, () => interrupted.abort(), interrupted.signal)
  await assert.rejects(locking, { name: 'AbortError' })
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  ;(await lockFolder(folder, never)).release()
})
