import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileCost } from './file-costs.ts'
import { suiteReport } from './suite-report.ts'

const cost = (file: string, wallMs: number, userMs: number): FileCost => ({
  file,
  wallMs,
  userMs,
  systemMs: 1000,
})

test('a run names its slowest twenty files, the twenty that cost the most CPU, and what the whole of it cost', () => {
  const files = Array.from({ length: 25 }, (_, n) => cost(`file-${n}`, n * 1000, 25_000 - n * 1000))
  const report = suiteReport(files, {
    wallMs: 754_000,
    whole: { userMs: 400_000, systemMs: 60_000 },
    postgres: { userMs: 30_000, systemMs: 10_000 },
  })
  const lines = report.split('\n')
  assert.equal(lines[0], 'The slowest of 25 files:')
  assert.equal(lines[1], '   24.0 s  file-24')
  assert.equal(lines.filter((line) => / file-\d+$/.test(line)).length, 40)
  assert.equal(lines[lines.indexOf('The files that cost the most CPU:') + 1], '   26.0 s  file-0')
  assert.ok(
    lines.includes('The run took 12 min 34 s and 7 min 40 s of CPU: 6 min 40 s user, 1 min 0 s system.'),
  )
  assert.ok(
    lines.includes('Of the CPU, test files took 5 min 50 s, PostgreSQL 0 min 40 s, the runner 1 min 10 s.'),
  )
})
