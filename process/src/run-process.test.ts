import assert from 'node:assert/strict'
import { spawn, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

const moduleAt = (name: string) => new URL(name, import.meta.url).href

/** A process that prints what happens to it; `parts` are the properties of its running process. */
const programOf = (parts: string) => `
  import { openLog } from '${moduleAt('logging.ts')}'
  import { runProcess } from '${moduleAt('run-process.ts')}'
  import { SettingError } from '${moduleAt('setting-reader.ts')}'
  const say = (word) => process.stdout.write(word + '\\n')
  await runProcess(async () => {
    const log = openLog('silent')
    ${parts}
  })
  say('runs')`

function start(t: TestContext, parts: string, channel?: 'ipc') {
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', ...(channel ? [channel] : [])]
  const child = spawn(process.execPath, ['--input-type=module', '-e', programOf(parts)], { stdio })
  t.after(() => child.kill('SIGKILL'))
  const printed = { out: '', err: '' }
  child.stdout?.on('data', (chunk) => (printed.out += String(chunk)))
  child.stderr?.on('data', (chunk) => (printed.err += String(chunk)))
  const messages: unknown[] = []
  child.on('message', (message) => messages.push(message))
  const prints = async (word: string) => {
    while (!printed.out.includes(word)) {
      assert.equal(child.exitCode, null, `it ended before it printed ${word}: ${printed.err}`)
      await sleep(5)
    }
  }
  const ended = once(child, 'exit').then(([status]) => status as number | null)
  return { child, printed, messages, prints, ended }
}

const waits = 'return { log, stop: async () => say("stopping") }'

test('a process that cannot start prints one sentence, with status 2 for a setting and 1 otherwise', async (t) => {
  for (const [thrown, status] of [
    ['new SettingError("SVC_PORT is not set")', 2],
    ['new Error("SVC_PORT is not set")', 1],
  ] as const) {
    const { ended, printed } = start(t, `throw ${thrown}`)
    assert.equal(await ended, status)
    assert.equal(printed.err, 'SVC_PORT is not set\n')
  }
})

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  test(`a process runs until ${signal}, then stops and exits with status 0`, async (t) => {
    const { child, prints, ended } = start(t, waits)
    await prints('runs')
    child.kill(signal)
    await prints('stopping')
    assert.equal(await ended, 0)
  })

test('a process is ready once it takes signals, after what it says first', async (t) => {
  const { child, messages, ended } = start(
    t,
    'return { log, stop: async () => {}, messages: [{ phones: "x" }] }',
    'ipc',
  )
  while (!messages.includes('ready')) await sleep(5)
  assert.deepEqual(messages, [{ phones: 'x' }, 'ready'])
  child.kill('SIGTERM')
  assert.equal(await ended, 0)
})

test('a process whose parent is gone stops', async (t) => {
  const { child, prints, ended } = start(t, waits, 'ipc')
  await prints('runs')
  child.disconnect()
  assert.equal(await ended, 0)
})

test('a process whose parent goes as it becomes ready stops', async (t) => {
  // It sees nothing until it sends: its event loop stands while the parent goes.
  const stands = `say("stands"); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500); ${waits}`
  const { child, prints, printed, ended } = start(t, stands, 'ipc')
  await prints('stands')
  child.disconnect()
  assert.equal(await ended, 0, printed.err)
})

test('SIGTERM drains first, and SIGTERM again stops without waiting for it', async (t) => {
  const drains =
    'return { log, drain: () => new Promise(() => say("draining")), stop: async () => say("stopping") }'
  const { child, prints, printed, ended } = start(t, drains)
  await prints('runs')
  child.kill('SIGTERM')
  await prints('draining')
  assert.ok(!printed.out.includes('stopping'))
  child.kill('SIGTERM')
  await prints('stopping')
  assert.equal(await ended, 0)
})

test('a drained process stops by itself, and SIGINT does not drain', async (t) => {
  const drains = 'return { log, drain: async () => say("draining"), stop: async () => say("stopping") }'
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { child, prints, printed, ended } = start(t, drains)
    await prints('runs')
    child.kill(signal)
    assert.equal(await ended, 0)
    assert.equal(printed.out.includes('draining'), signal === 'SIGTERM')
    assert.ok(printed.out.includes('stopping'))
  }
})

const hangs = 'return { log, stop: () => new Promise(() => say("stopping")) }'

test('a second signal ends a stop that hangs, but not one that npm and the terminal both deliver', async (t) => {
  const { child, prints, ended } = start(t, hangs)
  await prints('runs')
  child.kill('SIGINT')
  await prints('stopping')
  child.kill('SIGINT')
  await sleep(100)
  assert.equal(child.exitCode, null)
  await sleep(600)
  child.kill('SIGINT')
  assert.equal(await ended, 1)
})

test('under a parent a second signal changes nothing: the parent kills what takes too long', async (t) => {
  const { child, prints } = start(t, hangs, 'ipc')
  await prints('runs')
  child.kill('SIGINT')
  await prints('stopping')
  await sleep(600)
  child.kill('SIGINT')
  await sleep(100)
  assert.equal(child.exitCode, null)
})

test('a process whose parent goes while it starts stops as soon as it runs', async (t) => {
  const starts = `
    say('starts')
    await new Promise((resolve) => process.once('disconnect', resolve))
    ${waits}`
  const { child, prints, ended } = start(t, starts, 'ipc')
  await prints('starts')
  child.disconnect()
  await prints('stopping')
  assert.equal(await ended, 0)
})
