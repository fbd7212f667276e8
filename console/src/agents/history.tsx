import type { Config, SettingsDiff, SettingsHistory, SettingsView } from '@switchroom/contract/settings'
import { useState } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { useCan, useWho } from '../who/identity.ts'
import { useNames } from '../who/names.ts'
import { Loaded, Empty, Refusal } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Section } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import type { AgentPartProps } from './agent-part.ts'
import { knobGroups, shownValue } from './knob-list.ts'
import { ScopeSelect, scopeLabels, useScopeChoice } from './scope-choice.tsx'
import './settings.css'

export default function HistoryPart({ agent }: AgentPartProps) {
  const choosing = useScopeChoice()
  const { scope, isTeam } = choosing
  const history = useGet<SettingsHistory>(
    path`/v1/agents/${agent}/settings/history` + (isTeam ? '?team=true' : ''),
  )
  const [opened, setOpened] = useState<number | null>(null)
  const nameOf = useNames()
  const can = useCan()
  const { send, busy, error, clear } = useSend()
  const close = () => {
    setOpened(null)
    clear()
  }
  const rollBack = async (version: number) => {
    const body = { version, ...(isTeam && { team: true }) }
    const view = await send<SettingsView>('post', path`/v1/agents/${agent}/settings/rollback`, body)
    if (!view) return
    close()
    const saved = view[scope]?.version
    toast(`Version ${saved} has the settings of version ${version}. The next call uses it.`)
  }
  return (
    <div className="stack">
      <ScopeSelect {...choosing} />
      <Loaded of={history}>
        {({ versions }) => {
          const at = versions.findIndex(({ version }) => version === opened)
          const [newest] = versions
          const [row, before] = [versions[at], versions[at + 1]]
          return (
            <>
              <Table
                caption={`Versions of ${scopeLabels[scope]}`}
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
                  { title: 'Saved', cell: ({ set_at }) => <Time epochS={set_at} /> },
                  { title: 'By', cell: ({ author }) => nameOf(author) },
                  { title: 'Note', cell: ({ note }) => note ?? '' },
                  {
                    title: '',
                    cell: ({ version }) => (
                      <Button onClick={() => setOpened(version)}>
                        Show changes <span className="sr-only">in version {version}</span>
                      </Button>
                    ),
                  },
                ]}
                empty={
                  <Empty title="No versions yet">
                    <p>Every save under Settings creates a version that you can compare and roll back to.</p>
                  </Empty>
                }
              />
              <Dialog title={`Version ${opened ?? ''}`} open={row !== undefined} onClose={close}>
                {row ? <Changes from={before?.config ?? {}} to={row.config} /> : null}
                {row && newest && at > 0 && can('pipeline') ? (
                  <>
                    <h3>Rolling back changes</h3>
                    <Changes from={newest.config} to={row.config} />
                    <p className="soft">
                      It saves these settings as version {newest.version + 1}. Version {newest.version} stays
                      in the history.
                    </p>
                  </>
                ) : null}
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
      </Loaded>
      {scope === 'production' ? null : <Differences agent={agent} isTeam={isTeam} />}
    </div>
  )
}

/** The differences to the team, or from the team to production. */
function Differences({ agent, isTeam }: { agent: string; isTeam: boolean }) {
  const against = isTeam ? 'production' : 'team'
  const query = new URLSearchParams({ against, ...(isTeam && { team: 'true' }) })
  const { me } = useWho()
  const isOpen = against === 'team' || me?.production === true
  const diff = useGet<SettingsDiff>(isOpen ? `${path`/v1/agents/${agent}/settings/diff`}?${query}` : null)
  if (!isOpen || diff.error || !diff.data) return null
  const { fields, changes } = diff.data
  return (
    <Section title={isTeam ? 'Compared with production' : 'Compared with the team'}>
      {fields.length === 0 ? (
        <p className="soft">No differences.</p>
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
  if (changed.length === 0) return <p className="soft">No differences.</p>
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
