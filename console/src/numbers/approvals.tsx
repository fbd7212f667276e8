import type { AskedNetwork, AskedNetworks, FirewallList, NetworkState } from '@switchroom/contract/carriers'
import type { WaitingNumbers } from '@switchroom/contract/numbers'
import { useState } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { Loaded, Empty, Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { carrierLabel } from './number-labels.ts'
import { NumberTabs } from './number-tabs.tsx'
import './numbers.css'

const everyMs = 15_000

/** The operator's approvals: networks that send calls, and numbers that orgs point here. */
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
    if (await send('post', path`/v1/ops/numbers/${number}/approve`)) toast(`${number} approved.`)
  }
  return (
    <Section
      title="Waiting numbers"
      hint="The organization says that it owns the number. Verify this before you approve it."
    >
      <Refusal error={error} />
      <Loaded of={waiting} label="Loading numbers">
        {({ numbers }) => (
          <Table
            caption="Numbers waiting for approval"
            rows={numbers}
            rowKey={({ number }) => number}
            columns={[
              { title: 'Number', cell: ({ number }) => number },
              { title: 'Organization', cell: ({ org }) => org },
              { title: 'Agent', cell: ({ agent, env }) => `${agent} in ${env}` },
              { title: 'Carrier', cell: ({ via }) => (via === null ? 'Own networks' : carrierLabel(via)) },
              { title: 'Requested', cell: ({ asked_at }) => <Time epochS={asked_at} /> },
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
              <Empty title="No numbers waiting">
                <p>Numbers that organizations point here themselves are listed until you approve them.</p>
              </Empty>
            }
          />
        )}
      </Loaded>
    </Section>
  )
}

export function NetworkApprovals() {
  const [state, setState] = useState<NetworkState>('waiting')
  const networks = useGet<AskedNetworks>(`/v1/ops/networks?state=${state}`, { everyMs })
  const { send, busy, error } = useSend()
  const decide = async ({ id, network }: AskedNetwork, verdict: 'approve' | 'refuse') => {
    if (!(await send('post', path`/v1/ops/networks/${id}/${verdict}`))) return
    toast(verdict === 'approve' ? `Calls from ${network} are allowed.` : `Calls from ${network} are blocked.`)
  }
  const actions = (asked: AskedNetwork) => (
    <div className="row">
      {state === 'approved' ? null : (
        <Button
          busy={busy}
          aria-label={`Approve ${asked.network}`}
          onClick={() => void decide(asked, 'approve')}
        >
          Approve
        </Button>
      )}
      {state === 'refused' ? null : (
        <Button
          tone="danger"
          busy={busy}
          aria-label={`Reject ${asked.network}`}
          onClick={() => void decide(asked, 'refuse')}
        >
          Reject
        </Button>
      )}
    </div>
  )
  return (
    <Section
      title="Networks"
      hint="The SIP port and the trunks stay closed to a network until you approve it."
    >
      <div className="fields">
        <Select
          label="Status"
          value={state}
          onChange={(value) => setState(value as NetworkState)}
          options={[
            { value: 'waiting', label: 'Waiting' },
            { value: 'approved', label: 'Approved' },
            { value: 'refused', label: 'Rejected' },
          ]}
        />
      </div>
      <Refusal error={error} />
      <Loaded of={networks} label="Loading networks">
        {({ networks: rows }) => (
          <Table
            caption="Networks that organizations send calls from"
            rows={rows}
            rowKey={({ id }) => id}
            columns={[
              { title: 'Network', cell: ({ network }) => <code>{network}</code> },
              { title: 'Organization', cell: ({ org }) => org },
              { title: 'For', cell: ({ account, number }) => account ?? number ?? '–' },
              { title: 'Requested', cell: ({ asked_at }) => <Time epochS={asked_at} /> },
              { title: '', cell: actions },
            ]}
            empty={
              <Empty title={state === 'waiting' ? 'No networks waiting' : 'No networks'}>
                <p>Networks of SIP peers and of numbers that organizations point here are listed here.</p>
              </Empty>
            }
          />
        )}
      </Loaded>
    </Section>
  )
}

export function Firewall() {
  const firewall = useGet<FirewallList>('/v1/ops/firewall', { everyMs })
  return (
    <Section title="SIP port access">
      <Loaded of={firewall} label="Loading firewall">
        {({ port, networks }) =>
          networks.length === 0 ? (
            <p className="soft">Port {port} is closed to all networks.</p>
          ) : (
            <>
              <p>Port {port} is open to:</p>
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
      </Loaded>
    </Section>
  )
}
