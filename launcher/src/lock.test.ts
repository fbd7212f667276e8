import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { afterwards, temporaryFolder } from '../testing/folders.ts'
import { lockFolder } from './lock.ts'

const holderScript = `
  const { lockFolder } = await import(${JSON.stringify(import.meta.resolve('./lock.ts'))})
  const lock = lockFolder(process.argv[1])
  console.log('held')
  setInterval(() => lock, 1000)`

test('a held data folder is refused with what to do, and is free once its holder was killed', async (t) => {
  const folder = temporaryFolder(t)
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', holderScript, folder], {
    stdio: 'pipe',
  })
  afterwards(t, () => holder.kill('SIGKILL'))
  let warnings = ''
  holder.stderr.on('data', (chunk) => (warnings += chunk))
  await once(holder.stdout, 'data')
  assert.throws(() => lockFolder(folder), {
    message:
      `the data folder ${folder} is in use by another running Switchroom: ` +
      `stop that one, or set SVC_DATA to another folder`,
    status: 1,
  })
  holder.kill('SIGKILL')
  await once(holder, 'close')
  assert.equal(warnings, '')
  lockFolder(folder).release()
  lockFolder(folder).release()
})
