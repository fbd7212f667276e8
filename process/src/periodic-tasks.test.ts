import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { makeLogger } from './logging.ts'
import { PeriodicTasks } from './periodic-tasks.ts'

function makeTasks() {
  const lines: string[] = []
  const sink = new Writable({ write: (chunk, _encoding, done) => (lines.push(String(chunk)), done()) })
  return { tasks: new PeriodicTasks(makeLogger('warn', sink)), lines }
}

/** Resolves when the condition holds; the timers under test do not keep the process awake. */
async function until(isTrue: () => boolean) {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1))
}

test('a task runs again and again, and one that asks for it also at its start', async () => {
  const { tasks } = makeTasks()
  let [runs, eager] = [0, 0]
  tasks.start(
    { name: 'often', everyMs: 1, run: () => (runs += 1) },
    { name: 'eager', everyMs: 60_000, runsAtStart: true, run: () => (eager += 1) },
  )
  assert.deepEqual([runs, eager], [0, 1])
  await until(() => runs > 3)
  await tasks.stopAll()
  const before = runs
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(runs, before)
})

test('a task never runs beside itself, and a stop waits for the run under way', async () => {
  const { tasks } = makeTasks()
  const finish = Promise.withResolvers<void>()
  let [running, most, ended] = [0, 0, false]
  const task = {
    name: 'slow',
    everyMs: 1,
    runsAtStart: true,
    run: async (signal: AbortSignal) => {
      running += 1
      most = Math.max(most, running)
      if (!signal.aborted) await once(signal, 'abort')
      await finish.promise
      running -= 1
    },
  }
  tasks.start(task)
  await new Promise((resolve) => setTimeout(resolve, 20))
  const stopped = tasks.stop(task).then(() => (ended = true))
  await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal(ended, false)
  finish.resolve()
  await stopped
  assert.deepEqual([most, running], [1, 0])
})

test('a failure is logged with the name of the task, which runs again', async () => {
  const { tasks, lines } = makeTasks()
  let runs = 0
  tasks.start({
    name: 'count',
    everyMs: 1,
    run: async () => {
      runs += 1
      throw new Error('the disk is full')
    },
  })
  await until(() => runs > 2)
  await tasks.stopAll()
  const logged = JSON.parse(lines[0] ?? '') as Record<string, unknown>
  assert.equal(logged['task'], 'count')
  assert.equal(logged['msg'], 'a periodic task failed')
  assert.equal((logged['err'] as Error).message, 'the disk is full')
})

test('some tasks are stopped, and the others continue', async () => {
  const { tasks } = makeTasks()
  const counts = { one: 0, other: 0 }
  const one = { name: 'one', everyMs: 1, run: () => (counts.one += 1) }
  const other = { name: 'other', everyMs: 1, run: () => (counts.other += 1) }
  tasks.start(one, other)
  await until(() => counts.one > 0)
  await tasks.stop(one)
  const before = { ...counts }
  await until(() => counts.other > before.other + 2)
  assert.equal(counts.one, before.one)
  await tasks.stopAll()
})

test('tasks do not keep a process alive', () => {
  const program = `
    import { PeriodicTasks } from '${new URL('periodic-tasks.ts', import.meta.url).href}'
    new PeriodicTasks(console).start({ name: 'x', everyMs: 600_000, run: () => {} })`
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { timeout: 60_000 })
  assert.equal(status, 0)
})
