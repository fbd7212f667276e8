import assert from 'node:assert/strict'
import { test } from 'node:test'
import { percentilesOf } from '../measuring/percentiles.ts'
import { htmlReport } from './html-report.ts'
import type { LoadReport, StepReport } from './load-report.ts'
import { textReport } from './text-report.ts'
import { judge } from './verdict.ts'

const held: StepReport = {
  from_s: 10,
  to_s: 40,
  share: 1,
  series: {
    chats: {
      done: 98,
      failed: 2,
      per_s: 3.3,
      latency_ms: { p50: 120, p90: 300, p95: 900, p99: 1_400, max: 2_000 },
    },
    'chats.open': { done: 0, failed: 0, per_s: 0, latency_ms: null },
  },
  generator: { p50_ms: 1, p99_ms: 12, max_ms: 40, cores: 0.2 },
  deployment: { process_cpu_seconds_total: 12 },
}

const report: LoadReport = {
  version: 1,
  ...judge(
    held,
    [
      { series: 'chats', measure: 'p95', limit: 500 },
      { series: 'chats', measure: 'failures', limit: 0.05 },
    ],
    100,
  ),
  profile: 'chats',
  seed: 7,
  gateway: { url: 'https://<b>gateway</b>.example', version: '0.1.0', env: 'sandbox' },
  generator: { node: '24.0.0', cores: 2, machine: 'a machine' },
  started_at: '2026-01-31T09:00:00.000Z',
  seconds: 40,
  series: [
    { name: 'chats', title: 'from a message to its answer', places: 5, every_s: 5 },
    { name: 'chats.open', title: 'from the connection to an open chat', places: 5, every_s: 5 },
  ],
  steps: [{ ...held, from_s: 0, to_s: 10, share: 0.5, deployment: null }, held],
  failures: [{ series: 'chats', kind: 'refused', sentence: 'the key may not <chat> & "talk"', count: 2 }],
  timeline: [0, 1, 2].map((at) => ({
    at_s: at,
    series: { chats: { p50_ms: at === 1 ? null : 100, p95_ms: at === 1 ? null : 800, per_s: 3, failed: at } },
  })),
  left_behind: [],
}

test('a target is kept or broken by the step that holds the whole load, and each broken one is a sentence', () => {
  assert.deepEqual(
    report.targets.map(({ verdict }) => verdict),
    ['broken', 'kept'],
  )
  assert.equal(report.verdict, 'broken')
  assert.deepEqual(report.reasons, ['chats: p95 was 900 ms, and 500 ms is the target'])
  const [nothing] = judge(held, [{ series: 'chats.open', measure: 'p95', limit: 1 }], 100).reasons
  assert.equal(nothing, 'chats.open: nothing was measured, so p95 of at most 1.0 ms is not kept')
})

test('a run in which the generator itself was late is not valid, whatever it measured', () => {
  const { verdict, reasons } = judge(held, [{ series: 'chats', measure: 'p95', limit: 9_000 }], 5)
  assert.equal(verdict, 'not valid')
  assert.match(
    reasons[0] ?? '',
    /^the generator itself was the bottleneck: its event loop was 12 ms late \(p99\)/,
  )
})

test('a percentile is a value that was measured', () => {
  const hundred = Array.from({ length: 100 }, (_, at) => 100 - at)
  assert.deepEqual(percentilesOf(hundred), { p50: 50, p90: 90, p95: 95, p99: 99, max: 100 })
  assert.deepEqual(percentilesOf([3]), { p50: 3, p90: 3, p95: 3, p99: 3, max: 3 })
  assert.equal(percentilesOf([]), null)
})

test('the text report has a row for each step, the failures, the targets and the verdict', () => {
  const text = textReport(report)
  assert.match(text, /^ +0-10 +50% +98 +2 +3\.30\/s +120 ms +300 ms +900 ms +1\.40 s +2\.00 s +12 ms$/m)
  assert.match(text, /^ {2}2 × chats refused: the key may not <chat> & "talk"$/m)
  assert.match(text, /^ {2}broken {2}chats p95: 900 ms \(target 500 ms\)$/m)
  assert.match(text, /^verdict: broken$/m)
})

test('the HTML report is one well-formed file that loads nothing and runs nothing', () => {
  const page = htmlReport(report)
  assert.deepEqual(unclosed(page), [])
  assert.doesNotMatch(page, /<script|<link|<img|<iframe|@import|url\(|\bon\w+=/i)
  assert.match(page, /https:\/\/&lt;b&gt;gateway&lt;\/b&gt;\.example/)
  assert.match(page, /the key may not &lt;chat&gt; &amp; &quot;talk&quot;/)
  assert.equal(page.match(/<svg /g)?.length, 3)
  assert.doesNotMatch(page, /NaN|Infinity|undefined/)
})

/** Elements that are open at the end, or closed by another. */
function unclosed(page: string): string[] {
  const open: string[] = []
  const wrong: string[] = []
  for (const [, close, name = '', self] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^<>]*?(\/?)>/g)) {
    if (self || name === 'meta') continue
    if (!close) open.push(name)
    else if (open.pop() !== name) wrong.push(name)
  }
  return [...open, ...wrong]
}
