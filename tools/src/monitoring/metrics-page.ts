import type { Metric } from '@switchroom/contract/metrics/metric'
import { metrics } from '@switchroom/contract/metrics/table'
import type { Alert } from './alert.ts'
import { alerts } from './alerts.ts'

const intro = `<!-- Made by \`node tools/src/monitoring/write.ts\` from contract/src/metrics and tools/src/monitoring. -->

# Metrics, alerts and logs

Gateway, worker and voice server each serve \`/metrics\` for Prometheus, on a listener of its own that the public does not reach:

| process | default address | settings |
| --- | --- | --- |
| gateway | \`127.0.0.1:8083\` | \`SVC_METRICS_HOST\`, \`SVC_METRICS_PORT\` |
| voice server | \`127.0.0.1:8084\` | \`SVC_METRICS_HOST\`, \`SVC_VOICE_METRICS_PORT\` |
| worker | \`127.0.0.1:8085\` | \`SVC_METRICS_HOST\`, \`SVC_WORKER_METRICS_PORT\` |

If you set no port, a worker takes the first free one of \`8085\` to \`8094\`, so that several share a machine; its log says which (\`serving metrics\`). A process that finds its default port taken runs without metrics and says so in its log. A port that you set and that is taken is an error at the start.

\`\`\`yaml
scrape_configs:
  - job_name: switchroom-gateway
    static_configs: [{ targets: ['127.0.0.1:8083'] }]
  - job_name: switchroom-voice
    static_configs: [{ targets: ['127.0.0.1:8084'] }]
  - job_name: switchroom-worker
    static_configs: [{ targets: ['127.0.0.1:8085'] }]
rule_files: [deploy/alerts/switchroom.yaml]
\`\`\`

The alerts expect job names that begin with \`switchroom\`. Import the dashboards of \`deploy/grafana/\` into Grafana; they ask for the data source.

- Names are stable. New metrics begin with \`switchroom_\`; those that begin with \`svc_\` are older and keep their names.
- No label names an org, agent, call, number or key. A value outside of a label's set is counted as \`other\`.
- A counter counts each fact once, at one gateway: the sum over all processes is the truth. Gauges that every gateway reads from the database are the same at each: take their maximum. \`process_*\` and \`nodejs_*\` are the metrics library's own; the table has those that the dashboards show.
- Reading the metrics of a gateway is one statement to the database (the queues). If the database does not answer, the page comes without them.

## Logs

Every process writes JSON lines to standard output (\`SVC_LOG_LEVEL\`). A line about a call names it and what else is known, in the same fields everywhere:

| field | meaning |
| --- | --- |
| \`call\` | the call's id; \`calls\` if the line is about several |
| \`org\` | the org's id |
| \`agent\` | the agent's slug |
| \`worker\` | the worker's name, on every line of a worker and of its call processes |

A gateway says where each call began and ended (\`a call began\`, \`a call ended\`) and names call and org of each request that is about one; a worker says when it runs a call (\`a call runs here\`, \`a call is over\`). The voice server has no calls: its lines name the org. Keys, tokens, queries and bodies are in no line.

\`npm start\` keeps the logs in \`data/logs\`: one that is above 10 MB is put aside as \`.log.1\`, which replaces the one before. \`svc ops logs --call ID\` prints the lines about a call from all of them, in the order of their time; for services of systemd, give it the journal:

    journalctl -o cat -u 'switchroom*' | npx svc ops logs --call call_1 --file -

`

const sections = {
  calls: 'Calls',
  vendors: 'Vendors',
  telephony: 'Telephony and workers',
  processes: 'Processes, database and queues',
} as const

/** docs/metrics.md. */
export const metricsPage = () =>
  [
    intro,
    '## Metrics\n\n',
    ...Object.entries(sections).flatMap(([dashboard, title]) => [
      `### ${title}\n\n`,
      '| metric | type | labels | served by | what it is | measured |\n| --- | --- | --- | --- | --- | --- |\n',
      ...metrics.filter(({ panel }) => panel.dashboard === dashboard).map(metricRow),
      '\n',
    ]),
    '## Alerts\n\n',
    'The rules are in `deploy/alerts/switchroom.yaml`. Thresholds are meant to be changed: they are a start for a platform of which a few calls run at any time.\n\n',
    ...alerts.map(alertSection),
  ]
    .join('')
    .trimEnd()
    .concat('\n')

const metricRow = ({ name, type, labels, parts, help, measured }: Metric) =>
  `| ${[`\`${name}\``, type, labelsOf(labels), parts.join(', '), cell(help), cell(measured)].join(' | ')} |\n`

const cell = (text: string) => text.replaceAll('|', '\\|')

function labelsOf(labels: Metric['labels']): string {
  const shown = Object.entries(labels).map(
    ([name, values]) => `\`${name}\`: ${typeof values === 'string' ? values : values.join(', ')}`,
  )
  return shown.length === 0 ? 'none' : shown.join('; ')
}

const alertSection = ({ name, expr, for: held, severity, meaning, steps }: Alert) =>
  [
    `### ${name}\n\n`,
    `${meaning} Severity: ${severity}. Fires if this holds${held === '0m' ? '' : ` for ${held}`}:\n\n`,
    `    ${expr}\n\n`,
    ...steps.map((step, at) => `${at + 1}. ${step}\n`),
    '\n',
  ].join('')
