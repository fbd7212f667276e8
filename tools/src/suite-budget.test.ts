import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { FileCost } from './file-costs.ts'
import { measuredBudget, overBudget, readBudget, textOf, type SuiteBudget } from './suite-budget.ts'

const cost = (file: string, wallSeconds: number, cpuSeconds: number): FileCost => ({
  file,
  wallMs: wallSeconds * 1000,
  userMs: cpuSeconds * 800,
  systemMs: cpuSeconds * 200,
})
const budget = (packages: Record<string, number>): SuiteBudget => ({ packages, files: {} })

test('a measurement has the CPU of each package, and the files that take longer than most', () => {
  const measured = measuredBudget([
    cost('gateway/src/b.test.ts', 2, 1.5),
    cost('e2e/src/a.test.ts', 30, 6),
    cost('gateway/src/a.test.ts', 4, 3.54),
  ])
  assert.deepEqual(measured, {
    packages: { e2e: 6, gateway: 5 },
    files: {
      'e2e/src/a.test.ts': { wallSeconds: 30, cpuSeconds: 6 },
      'gateway/src/a.test.ts': { wallSeconds: 4, cpuSeconds: 3.5 },
    },
  })
})

test('a package whose share of the CPU grew by half is over the budget, and the sentence says what to do', () => {
  const agreed = budget({ gateway: 80, media: 20 })
  assert.deepEqual(overBudget(budget({ gateway: 70, media: 30 }), agreed), [])
  assert.deepEqual(overBudget(budget({ gateway: 69, media: 31 }), agreed), [
    'The tests of media took 31.0 % of the CPU of all test files; the budget has 20.0 %, and allows half as much again. Make them cheaper, or write the budget anew: node tools/src/test.ts --measure',
  ])
})

test('a slower machine, and a package that takes next to nothing, are not over the budget', () => {
  const agreed = budget({ gateway: 800, media: 199, audio: 1 })
  assert.deepEqual(overBudget(budget({ gateway: 2400, media: 600, audio: 3 }), agreed), [])
  assert.deepEqual(overBudget(budget({ gateway: 800, media: 195, audio: 5 }), agreed), [])
  assert.equal(overBudget(budget({ gateway: 800, media: 190, audio: 10 }), agreed).length, 1)
})

test('a package that the budget does not know is over it once it takes more than next to nothing', () => {
  assert.deepEqual(overBudget(budget({ gateway: 997, process: 3 }), budget({ gateway: 1000 })), [])
  assert.equal(overBudget(budget({ gateway: 900, process: 100 }), budget({ gateway: 1000 })).length, 1)
})

test('the budget of this checkout has every package that spends most', () => {
  const { packages } = readBudget()
  for (const name of ['e2e', 'gateway', 'media', 'session', 'speech', 'worker'])
    assert.ok((packages[name] ?? 0) > 0, name)
})

test('the budget is written as the formatter wants it: one line a file, unless it would be too long', () => {
  const written = readFileSync(new URL('suite-budget.json', import.meta.url), 'utf8')
  assert.equal(textOf(JSON.parse(written)), written)
  const long = { packages: {}, files: { ['a'.repeat(80)]: { wallSeconds: 4, cpuSeconds: 1 } } }
  assert.match(textOf(long), /: \{\n +"wallSeconds": 4,\n/)
})
