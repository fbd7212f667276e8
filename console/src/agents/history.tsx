import type { Config, SettingsDiff, SettingsHistory, SettingsView } from '@switchroom/contract/settings'
import { useState } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { useCan, useWho } from '../who/identity.ts'
import { useNames } from '../who/names.ts'
import { Answered, Empty, Refusal } from '../ui/answers.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Section } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import type { AgentPartProps } from './agent-part.ts'
import { knobGroups, shownValue } from './knob-list.ts'
import { ScopeSelect, scopeWords, useScopeChoice } from './scope-choice.tsx'
import './settings.css'

export default function HistoryPart({ agent }: AgentPartProps) {
  const choosing = useScopeChoice()
  const { scope, isTeam } = choosing
  const history = useGet<SettingsHistory>(
    path`/v1/agents/${agent}/settings/history` + (isTeam ? '?team=true' : ''),
  )
  const [looked, setLooked] = useState<number | null>(null)
  const nameOf = useNames()
  const can = useCan()
  const { send, busy, error, clear } = useSend()
  const close = () => {
    setLooked(null)
    clear()
  }
  const rollBack = async (version: number) => {
    const body = { version, ...(isTeam && { team: true }) }
    if (!(await send<SettingsView>('post', path`/v1/agents/${agent}/settings/rollback`, body))) return
    close()
    toast(`Version ${version} is the newest again.`)
  }
  return (
    <div className="stack">
      <ScopeSelect {...choosing} />
      <Answered of={history}>
        {({ versions }) => {
          const at = versions.findIndex(({ version }) => version === looked)
          const [row, before] = [versions[at], versions[at + 1]]
          return (
            <>
              <Table
                caption={`Versions of ${scopeWords[scope]}`}
                rows={versions}
                rowKey={({ version }) => String(version)}
                columns={[
                  {
                    title: 'Version',
                    cell: ({ version }) => (
                      <>
                        Version {version}{' '}
                        {version === versions[0]?.version ? <Badge tone="good">Newest</Badge> : null}
                      </>
                    ),
                  },
                  { title: 'Set', cell: ({ set_at }) => <Time epochS={set_at} /> },
                  { title: 'By', cell: ({ author }) => nameOf(author) },
                  { title: 'Note', cell: ({ note }) => note ?? '' },
                  {
                    title: '',
                    cell: ({ version }) => (
                      <Button onClick={() => setLooked(version)}>
                        What changed <span className="sr-only">in version {version}</span>
                      </Button>
                    ),
                  },
                ]}
                empty={
                  <Empty title="Nothing was set here yet">
                    <p>Every save under Settings becomes a version that you can compare and go back to.</p>
                  </Empty>
                }
              />
              <Dialog title={`Version ${looked ?? ''}`} open={row !== undefined} onClose={close}>
                {row ? <Changes from={before?.config ?? {}} to={row.config} /> : null}
                <Refusal error={error} />
                {row && at > 0 && can('pipeline') ? (
                  <Button tone="primary" busy={busy} onClick={() => void rollBack(row.version)}>
                    Roll back to version {row.version}
                  </Button>
                ) : null}
              </Dialog>
            </>
          )
        }}
      </Answered>
      {scope === 'production' ? null : <Against agent={agent} isTeam={isTeam} />}
    </div>
  )
}

/** How this scope differs from the one below it, or from production. */
function Against({ agent, isTeam }: { agent: string; isTeam: boolean }) {
  const against = isTeam ? 'production' : 'team'
  const query = new URLSearchParams({ against, ...(isTeam && { team: 'true' }) })
  const { me } = useWho()
  const isOpen = against === 'team' || me?.production === true
  const diff = useGet<SettingsDiff>(isOpen ? `${path`/v1/agents/${agent}/settings/diff`}?${query}` : null)
  if (!isOpen || diff.error || !diff.data) return null
  const { fields, changes } = diff.data
  return (
    <Section title={isTeam ? 'Against production' : 'Against the team’s'}>
      {fields.length === 0 ? (
        <p className="soft">Nothing differs.</p>
      ) : (
        <Changes
          from={Object.fromEntries(fields.map((field) => [field, changes[field]?.there ?? undefined]))}
          to={Object.fromEntries(fields.map((field) => [field, changes[field]?.here ?? undefined]))}
        />
      )}
    </Section>
  )
}

export function Changes({ from, to }: { from: Config; to: Config }) {
  const changed = knobGroups
    .flatMap(({ fields }) => fields)
    .filter(({ knob }) => JSON.stringify(from[knob]) !== JSON.stringify(to[knob]))
  if (changed.length === 0) return <p className="soft">No setting differs.</p>
  return (
    <ul className="changes">
      {changed.map(({ knob, label }) => (
        <li key={knob}>
          <strong>{label}</strong>
          <del>{shownValue(from[knob])}</del>
          <ins>{shownValue(to[knob])}</ins>
        </li>
      ))}
    </ul>
  )
}
