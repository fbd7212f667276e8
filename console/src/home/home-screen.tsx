import { overviewPeriods, type Overview, type OverviewPeriod } from '@switchroom/contract/insights'
import { useGet } from '../api/queries.ts'
import { useFilters, withQuery } from '../api/query-filters.ts'
import { AgentFilter } from '../calls/agent-filter.tsx'
import { reasonName } from '../calls/conversation.ts'
import { Empty, Loaded } from '../ui/feedback.tsx'
import { Select } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Link } from 'wouter'
import { useOwnAgents } from '../who/identity.ts'
import { Chart } from './chart.tsx'
import { callsLink, countText, creditsText, waitText } from './figure-labels.ts'
import { FigureCards } from './figures.tsx'
import './home.css'

const everyMs = 15_000

const periodLabels: Record<OverviewPeriod, string> = {
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
}

/** What the calls come to, each figure a link to the calls behind it. */
export default function HomeScreen() {
  const [asked, setFilter] = useFilters(['period', 'agent'])
  const [firstOwn = ''] = useOwnAgents() ?? []
  const filters = { ...asked, agent: asked.agent || firstOwn }
  const overview = useGet<Overview>(withQuery('/v1/insights/overview', filters), { everyMs })
  return (
    <Page title="Home">
      <div className="fields calls-filters" role="search" aria-label="Choose what is shown">
        <Select
          label="Period"
          value={filters.period || '7d'}
          onChange={(period) => setFilter('period', period === '7d' ? '' : period)}
          options={overviewPeriods.map((value) => ({ value, label: periodLabels[value] }))}
        />
        <AgentFilter value={filters.agent} onChange={(agent) => setFilter('agent', agent)} />
      </div>
      <Loaded of={overview} label="Loading overview">
        {(known) => <Shown overview={known} agent={filters.agent} />}
      </Loaded>
    </Page>
  )
}

function Shown({ overview, agent }: { overview: Overview; agent: string }) {
  const { now, before, points, step, reasons } = overview
  const isEmpty = now.calls === 0 && before.calls === 0
  const linkOf = (more: Record<string, string> = {}) => callsLink(overview, agent, more)
  const pointLink = (from: number) => {
    const to = from + (step === 'hour' ? 3600 : 86_400)
    return callsLink({ from, to }, agent)
  }
  return (
    <>
      <FigureCards overview={overview} agent={agent} />
      {isEmpty ? (
        <Empty title="No calls in this period">
          <p>
            <Link href="/agents">Talk to an agent</Link>, or choose a longer period.
          </p>
        </Empty>
      ) : (
        <div className="charts">
          <Chart
            title="Calls"
            step={step}
            points={points}
            linkOf={pointLink}
            series={[{ name: 'Calls', of: ({ calls }) => calls, text: countText }]}
          />
          <Chart
            title="Latency that callers hear"
            hint="From the end of their speech to the first sound of the answer."
            step={step}
            points={points}
            linkOf={pointLink}
            series={[
              { name: 'p50', of: ({ heard_p50_ms }) => heard_p50_ms, text: waitText },
              { name: 'p95', of: ({ heard_p95_ms }) => heard_p95_ms, text: waitText },
            ]}
          />
          <Chart
            title="Errors"
            step={step}
            points={points}
            linkOf={pointLink}
            series={[{ name: 'Errors', of: ({ errors }) => errors, text: countText }]}
          />
          <Chart
            title="Cost"
            hint="Credits for usage on the platform’s keys."
            step={step}
            points={points}
            linkOf={pointLink}
            series={[{ name: 'Credits', of: ({ credits }) => credits, text: creditsText }]}
          />
          <Section title="End reasons">
            <Table
              caption="End reasons"
              rows={reasons}
              rowKey={({ reason }) => reason}
              columns={[
                {
                  title: 'Reason',
                  cell: ({ reason }) => <Link href={linkOf({ reason })}>{reasonName(reason)}</Link>,
                },
                { title: 'Calls', isNumeric: true, cell: ({ calls }) => countText(calls) },
                { title: 'Before', isNumeric: true, cell: (row) => countText(row.before) },
              ]}
            />
          </Section>
        </div>
      )}
    </>
  )
}
