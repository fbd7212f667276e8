import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runAll, startable, type TestProgram } from './schedule.ts'

const programs = (kind: TestProgram['kind'], ...paths: string[]) =>
  paths.map((path): TestProgram => ({ path, kind }))
const pathsOf = (chosen: TestProgram[]) => chosen.map(({ path }) => path)
const waiting = programs('waiting', 'w1', 'w2', 'w3', 'w4', 'w5', 'w6')
const busy = programs('busy', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6')
const quiet = programs('quiet', 'q1', 'q2')

test('programs that wait run beside programs that keep a core busy', () => {
  assert.deepEqual(pathsOf(startable([...waiting, ...busy, ...quiet], [])), ['w1', 'w2', 'b1', 'b2'])
  assert.deepEqual(pathsOf(startable(waiting.slice(3), [...waiting.slice(0, 1), ...busy.slice(0, 2)])), [
    'w4',
  ])
})

test('one kind takes the places of the other once that has nothing left to start', () => {
  assert.deepEqual(pathsOf(startable(busy, [])), ['b1', 'b2', 'b3', 'b4'])
  assert.deepEqual(pathsOf(startable(waiting, busy.slice(0, 1))), ['w1', 'w2', 'w3'])
})

test('a quiet program runs alone, after all others', () => {
  assert.deepEqual(pathsOf(startable(quiet, waiting.slice(0, 1))), [])
  assert.deepEqual(pathsOf(startable(quiet, [])), ['q1'])
  assert.deepEqual(pathsOf(startable(quiet.slice(1), quiet.slice(0, 1))), [])
})

test('every program runs once, and never more than four together', async () => {
  const ran: string[] = []
  let together = 0
  let most = 0
  await runAll([...waiting, ...busy, ...quiet], async (path) => {
    ran.push(path)
    together += 1
    most = Math.max(most, together)
    await new Promise((resolve) => void setImmediate(resolve))
    together -= 1
  })
  assert.deepEqual(ran.toSorted(), pathsOf([...waiting, ...busy, ...quiet]).toSorted())
  assert.deepEqual(ran.slice(-2), ['q1', 'q2'])
  assert.equal(most, 4)
})
