import type { Drift } from '@switchroom/contract/calls'
import type { CanaryView, SettingsHistory } from '@switchroom/contract/settings'
import { useState } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { useCan } from '../who/identity.ts'
import { Loaded, Empty, Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Select, Slider, TextField } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { toast } from '../ui/toast.tsx'
import type { AgentPartProps } from './agent-part.ts'
import { knobLabel } from './knob-list.ts'
import { ScopeSelect, useScopeChoice } from './scope-choice.tsx'

export default function CanaryPart({ agent }: AgentPartProps) {
  const choosing = useScopeChoice()
  const query = choosing.isTeam ? '?team=true' : ''
  const history = useGet<SettingsHistory>(path`/v1/agents/${agent}/settings/history` + query)
  const canary = useGet<CanaryView>(path`/v1/agents/${agent}/settings/canary` + query)
  return (
    <div className="stack">
      <ScopeSelect {...choosing} />
      <Loaded of={history}>
        {({ versions }) =>
          versions.length < 2 ? (
            <Empty title="A canary needs two versions">
              <p>Save the settings once more, then run one of the versions on a share of the calls.</p>
            </Empty>
          ) : (
            <Loaded of={canary}>
              {(view) => (
                <CanaryForm
                  key={`${view.canary?.version} ${view.canary?.share}`}
                  agent={agent}
                  view={view}
                  versions={versions.map(({ version }) => version)}
                  isTeam={choosing.isTeam}
                />
              )}
            </Loaded>
          )
        }
      </Loaded>
    </div>
  )
}

interface CanaryFormProps {
  agent: string
  view: CanaryView
  versions: number[]
  isTeam: boolean
}

function CanaryForm({ agent, view: { canary }, versions, isTeam }: CanaryFormProps) {
  const [newest = 0] = versions
  const [version, setVersion] = useState(canary?.version ?? newest)
  const [share, setShare] = useState(canary?.share ?? 10)
  const [note, setNote] = useState('')
  const { send, busy, error } = useSend()
  const can = useCan()
  const address = path`/v1/agents/${agent}/settings/canary`
  const other = versions.find((one) => one !== version) ?? newest
  const save = async () => {
    const body = { version, share, ...(note && { note }), ...(isTeam && { team: true }) }
    if (await send('put', address, body)) toast(`Version ${version} runs on ${share}% of calls.`)
  }
  const stop = async () => {
    if (await send('delete', address + (isTeam ? '?team=true' : '')))
      toast('All calls use the newest version.')
  }
  return (
    <>
      <Section
        title="Canary"
        hint={
          canary
            ? `Version ${canary.version} runs on ${canary.share}% of calls, version ${other} on the rest.`
            : 'No canary: all calls use the newest version.'
        }
      >
        <div className="fields">
          <Select
            label="Version to try"
            value={String(version)}
            disabled={!can('pipeline')}
            onChange={(value) => setVersion(Number(value))}
            options={versions.map((one) => ({ value: String(one), label: `Version ${one}` }))}
          />
          <TextField label="Note" value={note} onChange={setNote} disabled={!can('pipeline')} />
        </div>
        <Slider
          label="Share of calls"
          min={0}
          max={100}
          value={share}
          disabled={!can('pipeline')}
          onChange={setShare}
          format={(value) => `${value}%`}
        />
        <Refusal error={error} />
        {can('pipeline') ? (
          <div className="row">
            <Button tone="primary" busy={busy} onClick={() => void save()}>
              {canary ? 'Update canary' : 'Start canary'}
            </Button>
            {canary ? (
              <Button busy={busy} onClick={() => void stop()}>
                End canary
              </Button>
            ) : null}
          </div>
        ) : null}
      </Section>
      <Compared agent={agent} before={other} after={version} isTeam={isTeam} />
    </>
  )
}

interface ComparedProps {
  agent: string
  before: number
  after: number
  isTeam: boolean
}

function Compared({ agent, before, after, isTeam }: ComparedProps) {
  const query = new URLSearchParams({
    agent,
    before: `v${before}`,
    after: `v${after}`,
    ...(isTeam && { team: 'true' }),
  })
  const drift = useGet<Drift>(`/v1/insights/drift?${query}`, { everyMs: 15_000 })
  return (
    <Section title={`Versions ${before} and ${after} compared`}>
      <Loaded of={drift}>
        {(compared) => (
          <>
            <Table
              caption="Results of both versions"
              rows={[compared.before, compared.after]}
              rowKey={({ version }) => String(version)}
              columns={[
                { title: 'Version', cell: ({ version }) => `Version ${version}` },
                { title: 'Calls', isNumeric: true, cell: ({ calls }) => calls },
                { title: 'Calls with errors', isNumeric: true, cell: ({ errors }) => errors },
                { title: 'Model timeouts', isNumeric: true, cell: ({ llm_timeouts }) => llm_timeouts },
                {
                  title: 'Average duration (s)',
                  isNumeric: true,
                  cell: ({ avg_duration_s }) => (avg_duration_s === null ? '–' : Math.round(avg_duration_s)),
                },
              ]}
            />
            <p className="soft">
              {compared.fields.length === 0
                ? 'The settings are identical.'
                : `Different settings: ${compared.fields.map(knobLabel).join(', ')}.`}
            </p>
          </>
        )}
      </Loaded>
    </Section>
  )
}
