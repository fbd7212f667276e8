import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '@switchroom/launcher/testing/folders'
import { until } from '@switchroom/launcher/testing/waiting'
import { root } from './test-files.ts'

// Measures time: another program of the run could stall the runner that is tested.

const runner = join(import.meta.dirname, 'shared-run.ts')
const fixture = (folder: string, passesFrom: number) => `
  import assert from 'node:assert/strict'
  import { appendFileSync, readFileSync } from 'node:fs'
  import { test } from 'node:test'
  test('sounds in time', async () => {
    appendFileSync(${JSON.stringify(join(folder, 'times'))}, '+')
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    assert.ok(readFileSync(${JSON.stringify(join(folder, 'times'))}).length >= ${passesFrom})
  })
`

/** Runs a test that passes from this time on, on a machine that stands still during the first, or does not. */
async function runOf(t: TestContext, passesFrom: number, isStalled: boolean) {
  const folder = temporaryFolder(t)
  const file = join(folder, 'sound.test.mjs')
  writeFileSync(file, fixture(folder, passesFrom))
  const { NODE_TEST_CONTEXT: _, ...env } = process.env // it is no test of this one
  const child = spawn(process.execPath, [runner, relative(root, file)], {
    env: { ...env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  let printed = ''
  child.stdout.on('data', (bytes) => (printed += String(bytes)))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  await until('it runs', () => existsSync(join(folder, 'times')), 60_000)
  if (isStalled) {
    child.kill('SIGSTOP')
    await sleep(500)
    child.kill('SIGCONT')
  }
  return { status: await ended, printed }
}

test('a test that fails while the machine stands still is run once more, and named', async (t) => {
  const { status, printed } = await runOf(t, 2, true)
  assert.equal(status, 0, printed)
  assert.match(
    printed,
    /failed while the machine stood still for \d+ ms, and run again alone: sounds in time/,
  )
  assert.match(printed, /pass 1\n/)
  assert.match(printed, /failed once, on a machine that stood still for \d+ ms: sounds in time/)
})

test('a test that fails again fails the run', async (t) => {
  const { status, printed } = await runOf(t, 3, true)
  assert.equal(status, 1, printed)
  assert.match(printed, /fail 1\n/)
})

test('a test that fails in time is not run again', async (t) => {
  const { status, printed } = await runOf(t, 2, false)
  assert.equal(status, 1, printed)
  assert.doesNotMatch(printed, /stood still/)
})
