import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { dashboards } from '@switchroom/contract/metrics/metric'
import { metrics } from '@switchroom/contract/metrics/table'
import { missing, pathOf } from '../debian-packages.ts'
import { alerts } from './alerts.ts'
import { monitoringFiles, rulesPath } from './files.ts'
import { panelsOf } from './panels.ts'
import { rulesTest } from './rules.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

test('dashboards, rules and docs/metrics.md are what the table of metrics makes', () => {
  for (const [path, text] of Object.entries(monitoringFiles()))
    assert.equal(readFileSync(join(root, path), 'utf8'), text, 'run: node tools/src/monitoring/write.ts')
  const shown = readdirSync(join(root, 'deploy/grafana')).filter((name) => name.endsWith('.json'))
  assert.deepEqual(shown.toSorted(), dashboards.map((name) => `switchroom-${name}.json`).toSorted())
})

test('every metric is on a dashboard, and an alert names only metrics of the table', () => {
  const exprs = dashboards.flatMap((name) => panelsOf(name).flatMap(({ queries }) => queries))
  const unseen = metrics.filter(({ name }) => !exprs.some(({ expr }) => expr.includes(name)))
  assert.deepEqual(unseen, [])
  const known = new Set(metrics.flatMap(({ name }) => [name, `${name}_bucket`, `${name}_count`]))
  for (const { name: alert, expr } of alerts)
    for (const [named] of expr.matchAll(/\b(?:switchroom|svc|nodejs)_\w+/g))
      assert.ok(known.has(named), `${alert} names ${named}`)
})

test('an alert says what it means and what to do, and its name is a heading of docs/metrics.md', () => {
  const page = readFileSync(join(root, 'docs/metrics.md'), 'utf8')
  for (const { name, meaning, steps } of alerts) {
    assert.match(meaning, /\.$/)
    assert.ok(steps.length > 0)
    assert.ok(page.includes(`### ${name}\n`))
  }
})

test(
  'promtool accepts the rules, and each alert fires when it should and not otherwise',
  { skip: missing('promtool') },
  (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'switchroom-rules-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const rules = join(root, rulesPath)
    const tests = join(folder, 'rules.test.yaml')
    writeFileSync(tests, rulesTest(rules))
    const run = (...words: string[]) => spawnSync(pathOf('promtool'), words, { encoding: 'utf8' })
    const checked = run('check', 'rules', rules)
    assert.equal(checked.status, 0, checked.stdout + checked.stderr)
    assert.match(checked.stdout, new RegExp(`SUCCESS: ${alerts.length} rules found`))
    const tested = run('test', 'rules', tests)
    assert.equal(tested.status, 0, tested.stdout + tested.stderr)
  },
)
