import type { AgentEntry, AgentList } from '@switchroom/contract/apps'
import { Link } from 'wouter'
import { path } from '../api/client.ts'
import { useGet } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { useCan, useOwnAgents, useWho } from '../who/identity.ts'
import { Loaded, Empty } from '../ui/feedback.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { StatusLight } from '../ui/badge.tsx'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'

export function AgentsList() {
  const agents = useGet<AgentList>('/v1/agents', { everyMs: 10_000 })
  const { env } = useSession()
  const { me } = useWho()
  const can = useCan()
  const own = useOwnAgents()
  const connectedApp = ({ held, app, holder }: AgentEntry) => {
    if (!held) return <StatusLight state="broken" label="Offline" />
    const whose = holder === '' ? '' : holder === me?.subject ? ' (only for you)' : ' (of a member)'
    return <StatusLight state="ok" label={`${app ?? 'Unnamed'}${whose}`} />
  }
  return (
    <Page title="Agents">
      <Loaded of={agents}>
        {({ agents: all }) => (
          <Table
            caption="Agents"
            rows={own ? all.filter(({ agent }) => own.includes(agent)) : all}
            rowKey={({ agent }) => agent}
            columns={[
              {
                title: 'Agent',
                cell: ({ agent }) => <Link href={path`/agents/${agent}`}>{agent}</Link>,
              },
              { title: 'Connected app', cell: connectedApp },
              {
                title: 'Set in code',
                cell: ({ fixed }) => (fixed.length > 0 ? fixed.join(', ') : '–'),
              },
            ]}
            empty={
              <Empty title={`No agents in ${env === 'sandbox' ? 'the sandbox' : 'production'} yet`}>
                <p>
                  An agent is a program of yours that connects to this gateway. Create a server token under
                  Keys, then start the agent with the SDK.
                </p>
                {can('app') ? <ButtonLink href="/keys">Create server token</ButtonLink> : null}
              </Empty>
            }
          />
        )}
      </Loaded>
    </Page>
  )
}
