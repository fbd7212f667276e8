import type { AskedNetwork, AskedNetworks, FirewallList, NetworkState } from '@switchroom/contract/carriers'
import type { WaitingNumbers } from '@switchroom/contract/numbers'
import { useState } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { Answered, Empty, Refusal } from '../ui/answers.tsx'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { NumberTabs } from './number-tabs.tsx'
import './numbers.css'

const everyMs = 15_000

/** What waits for the operator: networks that calls would come from, and numbers that orgs point here. */
export function Approvals() {
  return (
    <Page title="Approvals">
      <NumberTabs current="/numbers/approvals" />
      <NumberApprovals />
      <NetworkApprovals />
      <Firewall />
    </Page>
  )
}

export function NumberApprovals() {
  const waiting = useGet<WaitingNumbers>('/v1/ops/numbers', { everyMs })
  const { send, busy, error } = useSend()
  const approve = async (number: string) => {
    if (await send('post', path`/v1/ops/numbers/${number}/approve`)) toast(`${number} may ring`)
  }
  return (
    <Section
      title="Numbers that wait"
      hint="An org says that it owns the number. Make sure before you let it ring."
    >
      <Refusal error={error} />
      <Answered of={waiting} label="Reading what waits">
        {({ numbers }) => (
          <Table
            caption="Hooked numbers that wait for approval"
            rows={numbers}
            rowKey={({ number }) => number}
            columns={[
              { title: 'Number', cell: ({ number }) => number },
              { title: 'Org', cell: ({ org }) => org },
              { title: 'Agent', cell: ({ agent, env }) => `${agent} in ${env}` },
              { title: 'Through', cell: ({ via }) => via ?? 'Networks of its own' },
              { title: 'Asked', cell: ({ asked_at }) => <Time epochS={asked_at} /> },
              {
                title: '',
                cell: ({ number }) => (
                  <Button busy={busy} aria-label={`Approve ${number}`} onClick={() => void approve(number)}>
                    Approve
                  </Button>
                ),
              },
            ]}
            empty={
              <Empty title="No number waits">
                <p>Numbers that orgs point here themselves are listed until you approve them.</p>
              </Empty>
            }
          />
        )}
      </Answered>
    </Section>
  )
}

export function NetworkApprovals() {
  const [state, setState] = useState<NetworkState>('waiting')
  const networks = useGet<AskedNetworks>(`/v1/ops/networks?state=${state}`, { everyMs })
  const { send, busy, error } = useSend()
  const judge = async ({ id, network }: AskedNetwork, verdict: 'approve' | 'refuse') => {
    if (!(await send('post', path`/v1/ops/networks/${id}/${verdict}`))) return
    toast(verdict === 'approve' ? `Calls are let in from ${network}` : `No calls are let in from ${network}`)
  }
  const actions = (asked: AskedNetwork) => (
    <div className="row">
      {state === 'approved' ? null : (
        <Button
          busy={busy}
          aria-label={`Approve ${asked.network}`}
          onClick={() => void judge(asked, 'approve')}
        >
          Approve
        </Button>
      )}
      {state === 'refused' ? null : (
        <Button
          tone="danger"
          busy={busy}
          aria-label={`Refuse ${asked.network}`}
          onClick={() => void judge(asked, 'refuse')}
        >
          Refuse
        </Button>
      )}
    </div>
  )
  return (
    <Section title="Networks" hint="Until you approve a network, neither the port nor a trunk opens to it.">
      <div className="fields">
        <Select
          label="Show"
          value={state}
          onChange={(value) => setState(value as NetworkState)}
          options={[
            { value: 'waiting', label: 'Those that wait' },
            { value: 'approved', label: 'Those you approved' },
            { value: 'refused', label: 'Those you refused' },
          ]}
        />
      </div>
      <Refusal error={error} />
      <Answered of={networks} label="Reading the networks">
        {({ networks: rows }) => (
          <Table
            caption="Networks that orgs send calls from"
            rows={rows}
            rowKey={({ id }) => id}
            columns={[
              { title: 'Network', cell: ({ network }) => <code>{network}</code> },
              { title: 'Org', cell: ({ org }) => org },
              { title: 'For', cell: ({ account, number }) => account ?? number ?? '–' },
              { title: 'Asked', cell: ({ asked_at }) => <Time epochS={asked_at} /> },
              { title: '', cell: actions },
            ]}
            empty={
              <Empty title={state === 'waiting' ? 'No network waits' : 'There are none'}>
                <p>Networks of SIP peers and of numbers that orgs point here are listed here.</p>
              </Empty>
            }
          />
        )}
      </Answered>
    </Section>
  )
}

export function Firewall() {
  const firewall = useGet<FirewallList>('/v1/ops/firewall', { everyMs })
  return (
    <Section title="Who may reach the SIP port">
      <Answered of={firewall} label="Reading the firewall">
        {({ port, networks }) =>
          networks.length === 0 ? (
            <p className="soft">Nobody reaches port {port} yet.</p>
          ) : (
            <>
              <p>Port {port} opens to:</p>
              <ul className="networks wide">
                {networks.map((network) => (
                  <li key={network}>
                    <code>{network}</code>
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Answered>
    </Section>
  )
}
