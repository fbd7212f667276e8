import { wordsKnobs, type Knob } from '@switchroom/contract/knobs'
import type { Catalogue } from '@switchroom/contract/providers'
import { retirementOf, retiringInUse } from '@switchroom/contract/retiring'
import type { Config, Judging, SettingsRow, SettingsView } from '@switchroom/contract/settings'
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { useCan } from '../who/identity.ts'
import { Refusal } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'
import type { AgentPartProps } from './agent-part.ts'
import { ScopedEditor, type Edited } from './edited-version.tsx'
import { KnobEditor } from './knob-editors.tsx'
import { defaultOf, isDeclared, knobGroups, knobNamedIn, shownValue, type KnobField } from './knob-list.ts'
import { scopeLabels } from './scope-choice.tsx'
import './settings.css'

export default function SettingsPart({ agent }: AgentPartProps) {
  return (
    <ScopedEditor<SettingsView, SettingsRow> address={path`/v1/agents/${agent}/settings`}>
      {(view, edited, key) => <Editor key={key} agent={agent} view={view} {...edited} />}
    </ScopedEditor>
  )
}

interface EditorProps extends Edited<SettingsRow> {
  agent: string
  view: SettingsView
}

function Editor({ agent, view, own, choosing, setDirty, onRefused }: EditorProps) {
  const { scope, isTeam } = choosing
  const [config, setConfig] = useState<Config>(own?.config ?? {})
  const [note, setNote] = useState('')
  const { send, busy, error, clear } = useSend()
  const can = useCan()
  const { data: catalogue } = useGet<Catalogue>(can('providers') ? '/v1/providers' : null)
  const { data: judging } = useGet<Judging>('/v1/org/judging')
  const below = scope === 'yours' ? (view.team?.config ?? {}) : {}
  const changed = knobGroups
    .flatMap(({ fields }) => fields.map(({ knob }) => knob))
    .filter((knob) => JSON.stringify(config[knob]) !== JSON.stringify(own?.config[knob]))
  const isDirty = changed.length > 0 || note !== ''
  useEffect(() => setDirty(isDirty), [isDirty, setDirty])
  const named = error ? knobNamedIn(error.message, changed) : undefined

  const change = (next: Partial<Config>) => {
    clear()
    setConfig((before) => {
      const merged: Record<string, unknown> = { ...before, ...next }
      for (const [knob, value] of Object.entries(merged)) if (value === undefined) delete merged[knob]
      return merged
    })
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const body = {
      config,
      if_version: own?.version ?? 0,
      ...(note && { note }),
      ...(isTeam && { team: true }),
    }
    if (!(await send('put', path`/v1/agents/${agent}/settings`, body))) return onRefused()
    setDirty(false)
    toast('Saved. The next call uses it.')
  }
  const row = (field: KnobField) => {
    const isFixed = isDeclared(field.knob, view.fixed)
    return (
      <div key={field.knob} className="knob">
        <KnobEditor
          agent={agent}
          field={field}
          config={config}
          inherited={inheritedLabel(
            below[field.knob],
            isFixed,
            defaultOf(field.knob, { ...below, ...config }, { catalogue, judge: judging?.judge }),
          )}
          below={below}
          error={named === field.knob ? error?.message : undefined}
          disabled={isFixed || !(can('pipeline') || wordsKnobs.includes(field.knob))}
          change={change}
        />
        <Origin
          knob={field.knob}
          config={config}
          below={below}
          isFixed={isFixed}
          scope={scopeLabels[scope]}
        />
      </div>
    )
  }
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      {catalogue
        ? retiringInUse(catalogue, { ...below, ...config }).map((retiring) => (
            <p key={`${retiring.stage}/${retiring.model}`}>
              <Badge tone="warn">Model ends</Badge> {retirementOf(retiring)} Choose another before then.
            </p>
          ))
        : null}
      {knobGroups.map(({ title, fields, isAdvanced }) =>
        isAdvanced ? (
          <Advanced key={title} title={title} mustOpen={fields.some(({ knob }) => knob === named)}>
            <div className="knobs">{fields.map(row)}</div>
          </Advanced>
        ) : (
          <Section key={title} title={title}>
            <div className="knobs">{fields.map(row)}</div>
          </Section>
        ),
      )}
      <div className={changed.length > 0 ? 'save is-due' : 'save'}>
        <Section
          title="Save"
          hint={
            own
              ? `${scopeLabels[scope]}: version ${own.version}. Changed vendors and models are tested before they are saved.`
              : 'Nothing saved yet. Changed vendors and models are tested before they are saved.'
          }
        >
          <TextField
            label="Note"
            placeholder="Reason for the change"
            value={note}
            onChange={setNote}
            maxLength={500}
          />
          {error && named === undefined ? <Refusal error={error} /> : null}
          {error && named !== undefined ? (
            <p className="refusal">Nothing was saved. {error.message}</p> // announced at its field, visible here too
          ) : null}
          <div className="row">
            <Button tone="primary" type="submit" busy={busy} disabled={changed.length === 0}>
              {changed.length === 0
                ? 'No changes'
                : `Save ${changed.length === 1 ? 'change' : `${changed.length} changes`}`}
            </Button>
            {changed.length > 0 ? (
              <Button onClick={() => change(resetTo(own?.config ?? {}, changed))}>Undo</Button>
            ) : null}
          </div>
        </Section>
      </div>
    </form>
  )
}

interface AdvancedProps {
  title: string
  /** A setting in it was refused. */
  mustOpen: boolean
  children: ReactNode
}

function Advanced({ title, mustOpen, children }: AdvancedProps) {
  const details = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    if (mustOpen && details.current) details.current.open = true
  }, [mustOpen])
  return (
    <details ref={details} className="section advanced">
      <summary>
        <h2>{title}</h2>
      </summary>
      {children}
    </details>
  )
}

function resetTo(config: Config, changed: readonly Knob[]): Partial<Config> {
  return Object.fromEntries(changed.map((knob) => [knob, config[knob]]))
}

function inheritedLabel(below: Config[Knob], isFixed: boolean, byDefault: string): string {
  if (isFixed) return 'Set in code'
  return below === undefined ? `Default: ${byDefault}` : `Team: ${shownValue(below)}`
}

interface OriginProps {
  knob: Knob
  config: Config
  below: Config
  isFixed: boolean
  scope: string
}

/** The scope that a call takes the knob from. */
function Origin({ knob, config, below, isFixed, scope }: OriginProps) {
  if (isFixed) return <Badge tone="warn">Set in code</Badge>
  if (config[knob] !== undefined) return <Badge tone="good">{scope}</Badge>
  if (below[knob] !== undefined) return <Badge>Team</Badge>
  return <Badge>Default</Badge>
}
