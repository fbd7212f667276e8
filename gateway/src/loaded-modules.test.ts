import { deepEqual } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const program = `await import('@switchroom/gateway/gateway')
console.log(JSON.stringify(process.moduleLoadList))`

test('a gateway that starts loads no fetch, which takes 14 MB, before something calls it', async () => {
  const args = ['--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname })
  const loaded: string[] = JSON.parse(stdout)
  deepEqual(
    loaded.filter((name) => name.includes('undici')),
    [],
  )
})
