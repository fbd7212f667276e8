import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { IdleCores } from './idle-cores.ts'

test('a core that computes is not idle', () => {
  const cores = new IdleCores()
  const until = performance.now() + 400
  while (performance.now() < until);
  const share = cores.share()
  assert.ok(share >= 0 && share <= 1 - 0.5 / availableParallelism(), `${share} of the cores`)
})
