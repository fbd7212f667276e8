import { dashboards, type DashboardName } from '@switchroom/contract/metrics/metric'
import { panelsOf, type Panel } from './panels.ts'

const titles: Record<DashboardName, string> = {
  calls: 'Switchroom: calls',
  telephony: 'Switchroom: telephony and workers',
  vendors: 'Switchroom: vendors',
  processes: 'Switchroom: processes, database and queues',
}

const panelsInRow = 2
const [width, height] = [12, 8]
const datasource = { type: 'prometheus', uid: '${datasource}' }

/** The dashboards as Grafana imports them, by file name. */
export const dashboardFiles = (): Record<string, string> =>
  Object.fromEntries(
    dashboards.map((name) => [`switchroom-${name}.json`, `${JSON.stringify(dashboardOf(name), null, 2)}\n`]),
  )

const dashboardOf = (name: DashboardName) => ({
  uid: `switchroom-${name}`,
  title: titles[name],
  tags: ['switchroom'],
  schemaVersion: 39,
  editable: true,
  refresh: '30s',
  time: { from: 'now-1h', to: 'now' },
  templating: {
    list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }],
  },
  panels: panelsOf(name).map(panelAt),
})

const panelAt = ({ title, description, unit, queries }: Panel, at: number) => ({
  id: at + 1,
  type: 'timeseries',
  title,
  description,
  datasource,
  gridPos: {
    x: (at % panelsInRow) * width,
    y: Math.floor(at / panelsInRow) * height,
    w: width,
    h: height,
  },
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
  targets: queries.map(({ expr, legend }, index) => ({
    refId: String.fromCodePoint(65 + index),
    datasource,
    expr,
    legendFormat: legend,
  })),
})
