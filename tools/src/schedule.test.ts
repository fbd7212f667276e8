import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runAll, startable, type TestProgram } from './schedule.ts'

const programs = (kind: TestProgram['kind'], ...paths: string[]) =>
  paths.map((path): TestProgram => ({ path, kind }))
const pathsOf = (chosen: TestProgram[]) => chosen.map(({ path }) => path)
const sound = programs('sound', 's1', 's2', 's3', 's4', 's5', 's6')
const busy = programs('busy', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6')
const quiet = programs('quiet', 'q1', 'q2')
const cores = 2

test('programs of sound run beside programs that compute', () => {
  const all = [...sound, ...busy, ...quiet]
  assert.deepEqual(pathsOf(startable(all, [], cores)), ['b1', 'b2', 's1', 's2'])
  assert.deepEqual(pathsOf(startable(all, [], 4)), ['b1', 'b2', 'b3', 'b4', 's1', 's2', 's3', 's4'])
  assert.deepEqual(pathsOf(startable(all, [], 1)), ['b1', 'b2', 's1', 's2'])
  const running = [...busy.slice(0, 2), ...sound.slice(0, 1)]
  assert.deepEqual(pathsOf(startable(sound.slice(3), running, cores)), ['s4'])
})

test('one kind does not take the places of the other', () => {
  assert.deepEqual(pathsOf(startable(sound, [], cores)), ['s1', 's2'])
  assert.deepEqual(pathsOf(startable(busy, busy.slice(0, 2), cores)), [])
})

test('a quiet program runs alone, after all others', () => {
  assert.deepEqual(pathsOf(startable(quiet, sound.slice(0, 1), cores)), [])
  assert.deepEqual(pathsOf(startable(quiet, [], cores)), ['q1'])
  assert.deepEqual(pathsOf(startable(quiet.slice(1), quiet.slice(0, 1), cores)), [])
})

test('every program runs once, and the quiet ones last', async () => {
  const ran: string[] = []
  let together = 0
  let mostWithQuiet = 0
  await runAll([...quiet, ...sound, ...busy], async (path) => {
    ran.push(path)
    together += 1
    if (path.startsWith('q')) mostWithQuiet = Math.max(mostWithQuiet, together)
    await new Promise((resolve) => void setImmediate(resolve))
    together -= 1
  })
  assert.deepEqual(ran.toSorted(), pathsOf([...sound, ...busy, ...quiet]).toSorted())
  assert.deepEqual(ran.slice(-2), ['q1', 'q2'])
  assert.equal(mostWithQuiet, 1)
})
