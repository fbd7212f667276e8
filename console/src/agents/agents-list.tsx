import type { AgentEntry, AgentList } from '@switchroom/contract/apps'
import { Link } from 'wouter'
import { path } from '../api/client.ts'
import { useGet } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { useCan, useWho } from '../who/identity.ts'
import { Answered, Empty } from '../ui/answers.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Lamp } from '../ui/badge.tsx'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'

export function AgentsList() {
  const agents = useGet<AgentList>('/v1/agents', { everyMs: 10_000 })
  const { env } = useSession()
  const { me } = useWho()
  const can = useCan()
  const holderOf = ({ held, app, holder }: AgentEntry) => {
    if (!held) return <Lamp state="broken" label="Nobody holds it" />
    const whose = holder === '' ? '' : holder === me?.subject ? ', yours alone' : ', a member’s own'
    return <Lamp state="ok" label={`${app ?? 'An app'}${whose}`} />
  }
  return (
    <Page title="Agents">
      <Answered of={agents}>
        {({ agents: all }) => (
          <Table
            caption="Agents"
            rows={all}
            rowKey={({ agent }) => agent}
            columns={[
              {
                title: 'Agent',
                cell: ({ agent }) => <Link href={path`/agents/${agent}`}>{agent}</Link>,
              },
              { title: 'Held by', cell: holderOf },
              {
                title: 'Set by its class',
                cell: ({ fixed }) => (fixed.length > 0 ? fixed.join(', ') : 'nothing'),
              },
            ]}
            empty={
              <Empty title={`No agent yet in ${env === 'sandbox' ? 'the sandbox' : 'production'}`}>
                <p>
                  An agent is a program of yours that connects to this gateway and holds it. Make a server
                  token under Keys, then start one with the SDK.
                </p>
                {can('app') ? <ButtonLink href="/keys">Make a server token</ButtonLink> : null}
              </Empty>
            }
          />
        )}
      </Answered>
    </Page>
  )
}
