import { dashboardFiles } from './dashboards.ts'
import { metricsPage } from './metrics-page.ts'
import { rulesFile } from './rules.ts'

export const rulesPath = 'deploy/alerts/switchroom.yaml'

/** Everything that is made from the table of metrics, by its path in the checkout. */
export const monitoringFiles = (): Record<string, string> => ({
  'docs/metrics.md': metricsPage(),
  [rulesPath]: rulesFile(),
  ...Object.fromEntries(
    Object.entries(dashboardFiles()).map(([name, text]) => [`deploy/grafana/${name}`, text]),
  ),
})
