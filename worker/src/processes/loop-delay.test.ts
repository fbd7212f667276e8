import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@switchroom/launcher/testing/waiting'
import { watchLoopDelay } from './loop-delay.ts'

test('a process tells how late it was while it has work, and nothing otherwise', async () => {
  let isBusy = false
  const told: number[] = []
  let looks = 0
  watchLoopDelay(
    () => {
      looks += 1
      return isBusy
    },
    (longestMs) => told.push(longestMs),
    30,
  )
  await until('it has looked', () => looks > 2)
  assert.deepEqual(told, [])
  isBusy = true
  await until('it measures', () => told.length > 0)
  const before = told.length
  const blockedFrom = performance.now()
  while (performance.now() - blockedFrom < 150);
  await until('it tells of the delay', () => told.slice(before).some((ms) => ms >= 100))
})
