import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { cpuTime, difference, fromStat } from './cpu-time.ts'

test('the CPU time of a process counts the children it waited for, whatever the name of its program', () => {
  const line = '7 (a (very) odd) S 1 7 7 0 -1 4194560 100 0 0 0 120 30 400 50 20 0 11 0 5 1000 200'
  assert.deepEqual(fromStat(line), { userMs: 5200, systemMs: 800 })
})

test('a child that burned CPU is counted once it has ended', { skip: process.platform !== 'linux' }, () => {
  const before = cpuTime()
  spawnSync(process.execPath, [
    '--eval',
    'while (process.cpuUsage().user + process.cpuUsage().system < 300_000);',
  ])
  const { userMs, systemMs } = difference(cpuTime(), before)
  assert.ok(userMs + systemMs >= 280, `${userMs} ms user, ${systemMs} ms system`)
})
