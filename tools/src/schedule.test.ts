import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneMore, runAll, startable, type TestProgram } from './schedule.ts'

const programs = (kind: TestProgram['kind'], ...paths: string[]) =>
  paths.map((path): TestProgram => ({ path, kind }))
const pathsOf = (chosen: TestProgram[]) => chosen.map(({ path }) => path)
const sound = programs('sound', 's1', 's2', 's3', 's4', 's5')
const light = programs('light', 'l1', 'l2', 'l3', 'l4')
const heavy = programs('heavy', 'h1', 'h2', 'h3')
const quiet = programs('quiet', 'q1', 'q2')
const all = [...quiet, ...heavy, ...light, ...sound]
const cores = 2

test('beside sound runs one light program for each pair of cores, and no heavy one', () => {
  assert.deepEqual(pathsOf(startable(all, [], cores)), ['l1', 's1', 's2'])
  assert.deepEqual(pathsOf(startable(all, [], 1)), ['l1', 's1', 's2'])
  assert.deepEqual(pathsOf(startable(all, [], 4)), ['l1', 'l2', 's1', 's2', 's3', 's4'])
  assert.deepEqual(pathsOf(startable(sound.slice(2), sound.slice(0, 1), cores)), ['s3'])
  assert.deepEqual(pathsOf(startable([...heavy, ...light], sound.slice(0, 1), cores)), ['l1'])
})

test('once the last program of sound has ended, heavy ones run, and then the rest of the light ones', () => {
  assert.deepEqual(pathsOf(startable([...heavy, ...light], [], cores)), ['h1', 'h2', 'l1'])
  assert.deepEqual(
    pathsOf(startable(light.slice(1), [...heavy.slice(0, 2), ...light.slice(0, 1)], cores)),
    [],
  )
  assert.deepEqual(pathsOf(startable(light, [], cores)), ['l1', 'l2', 'l3'])
})

test('a quiet program runs alone, after all others', () => {
  assert.deepEqual(pathsOf(startable(quiet, sound.slice(0, 1), cores)), [])
  assert.deepEqual(pathsOf(startable(quiet, [], cores)), ['q1'])
  assert.deepEqual(pathsOf(startable(quiet.slice(1), quiet.slice(0, 1), cores)), [])
})

test('idle cores take one more program of a kind that runs now, and only so many', () => {
  const running = [...sound.slice(0, 2), ...light.slice(0, 1)]
  assert.equal(oneMore([...heavy, ...sound.slice(2)], running, cores)?.path, 's3')
  assert.equal(oneMore(heavy, running, cores), undefined)
  assert.equal(oneMore([...light.slice(1), ...sound.slice(2)], running, cores)?.path, 's3')
  assert.equal(oneMore(light.slice(1), running, cores)?.path, 'l2')
  assert.equal(oneMore(light, [...running, ...sound.slice(2)], cores), undefined)
  assert.equal(oneMore(quiet.slice(1), quiet.slice(0, 1), cores), undefined)
})

test('every program runs once, and the quiet ones last', async () => {
  const ran: string[] = []
  let together = 0
  let mostWithQuiet = 0
  await runAll(all, async (path) => {
    ran.push(path)
    together += 1
    if (path.startsWith('q')) mostWithQuiet = Math.max(mostWithQuiet, together)
    await new Promise((resolve) => void setImmediate(resolve))
    together -= 1
  })
  assert.deepEqual(ran.toSorted(), pathsOf(all).toSorted())
  assert.deepEqual(ran.slice(-2), ['q1', 'q2'])
  assert.equal(mostWithQuiet, 1)
})
