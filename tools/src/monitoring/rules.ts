import type { Alert } from './alert.ts'
import { alerts } from './alerts.ts'

/** A JSON string is a YAML string too. */
const quoted = (text: string) => JSON.stringify(text)

/** The rules as Prometheus reads them. */
export const rulesFile = () =>
  [
    '# Made by `node tools/src/monitoring/write.ts`: change the alerts in tools/src/monitoring instead.',
    'groups:',
    '  - name: switchroom',
    '    rules:',
    ...alerts.flatMap(ruleLines),
    '',
  ].join('\n')

const ruleLines = (alert: Alert) => [
  `      - alert: ${alert.name}`,
  `        expr: ${quoted(alert.expr)}`,
  `        for: ${alert.for}`,
  '        labels:',
  `          severity: ${alert.severity}`,
  '        annotations:',
  `          summary: ${quoted(alert.summary)}`,
  `          description: ${quoted(alert.meaning)}`,
  `          runbook: docs/metrics.md#${alert.name.toLowerCase()}`,
]

/** For `promtool test rules`: each alert fires under its own series, and does not under the others. */
export const rulesTest = (rules: string) =>
  JSON.stringify({
    rule_files: [rules],
    evaluation_interval: '1m',
    tests: alerts.flatMap((alert) => [
      testOf(alert, alert.fires, [{ labels: '{}', value: 1 }]),
      testOf(alert, alert.silent, []),
    ]),
  })

function testOf(alert: Alert, series: Alert['fires'], samples: object[]) {
  const values = Object.entries(series).map(([name, shown]) => ({ series: name, values: shown }))
  const minutes = Math.min(...Object.values(series).map(lengthOf))
  return {
    name: `${alert.name} ${samples.length > 0 ? 'fires' : 'is silent'}`,
    interval: '1m',
    input_series: values,
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${alert.name}",alertstate="firing"})`,
        eval_time: `${minutes}m`,
        exp_samples: samples,
      },
    ],
  }
}

/** How many minutes after the first value the last one is. */
function lengthOf(values: string): number {
  const counts = values.split(' ').map((part) => Number(/x(\d+)$/.exec(part)?.[1] ?? 0) + 1)
  return counts.reduce((sum, count) => sum + count, 0) - 1
}
