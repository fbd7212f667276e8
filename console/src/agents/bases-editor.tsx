import { knobTable } from '@switchroom/contract/knobs'
import type { Base, BaseList } from '@switchroom/contract/knowledge'
import type { Config } from '@switchroom/contract/settings'
import { Link } from 'wouter'
import { useGet } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { Select, TextField } from '../ui/field.tsx'
import { useCan } from '../who/identity.ts'
import { defaultText } from './knob-list.ts'
import { NumberField } from './number-field.tsx'

type Bases = NonNullable<Config['bases']>
type Named = Bases[number]

interface BasesEditorProps {
  agent: string
  label: string
  hint: string | undefined
  error: string | undefined
  disabled: boolean
  inherited: string
  value: Config['bases']
  /** Of the scope below. */
  below: Config['bases']
  change: (value: Config['bases']) => void
}

const { members } = knobTable.bases.shape

const modeLabels: Record<string, string> = { auto: 'Always', tool: 'As a tool', whole: 'Whole' }
const modeHints: Record<string, string> = {
  auto: 'What each turn is about is looked up before the answer.',
  tool: 'The model searches when it wants to.',
  whole: 'Every call reads the whole base. For small bases.',
}
const modes = members.mode.shape.choices.filter((mode) => mode in modeLabels)

/** The bases that an agent answers from: of those that there are. */
export function BasesEditor(props: BasesEditorProps) {
  const { agent, label, hint, error, disabled, inherited, value, below, change } = props
  const can = useCan()
  const { data, isPending } = useGet<BaseList>(can('knowledge') ? '/v1/bases' : null)
  const known = data?.bases
  const rows = value ?? []
  const put = (at: number, row: Named | null) => {
    const next = row ? rows.with(at, row) : rows.toSpliced(at, 1)
    change(next.length === 0 && !below?.length ? undefined : next)
  }
  const free = known?.find((base) => isFor(base, agent) && rows.every((row) => row.base !== base.base))
  return (
    <fieldset className="knob-parts" disabled={disabled}>
      <legend>{label}</legend>
      {value === undefined ? <p className="field-hint">{inherited}</p> : null}
      {value?.length === 0 ? <p className="field-hint">None, whatever the team has set.</p> : null}
      {hint === undefined ? null : <p className="field-hint">{hint}</p>}
      {rows.map((row, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- a row has no other name while one is chosen
        <div key={at} className="stack base-row" role="group" aria-label={row.base || 'New base'}>
          <BaseField
            agent={agent}
            row={row}
            bases={known}
            isReadable={can('knowledge')}
            change={(base) => put(at, { ...row, base })}
          />
          <BaseOptions row={row} change={(next) => put(at, next)} />
          <div>
            <Button onClick={() => put(at, null)}>
              Remove <span className="sr-only">{row.base}</span>
            </Button>
          </div>
        </div>
      ))}
      {error === undefined ? null : (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
      <div className="row">
        <Button
          busy={can('knowledge') && isPending}
          onClick={() => change([...rows, { base: free?.base ?? '' }])}
        >
          Add base
        </Button>
        {value !== undefined && below?.length ? (
          <Button onClick={() => change(undefined)}>Use the team’s</Button>
        ) : null}
      </div>
      {known?.length === 0 ? (
        <p className="field-hint">
          There is no base yet. <Link href="/knowledge">Create one</Link> first.
        </p>
      ) : null}
    </fieldset>
  )
}

const isFor = ({ agents }: Base, agent: string) => agents === null || agents.includes(agent)

interface BaseFieldProps {
  agent: string
  row: Named
  /** Undefined while they are not known. */
  bases: readonly Base[] | undefined
  isReadable: boolean
  change: (base: string) => void
}

function BaseField({ agent, row, bases, isReadable, change }: BaseFieldProps) {
  const { env } = useSession()
  if (!isReadable) return <TextField label={members.base.label} value={row.base} onChange={change} />
  const chosen = bases?.find(({ base }) => base === row.base)
  const wrong = !bases
    ? undefined
    : row.base === ''
      ? undefined
      : !chosen
        ? `There is no base ${row.base} in ${env}. Create it, or choose another.`
        : isFor(chosen, agent)
          ? undefined
          : `${agent} may not search ${row.base}. Allow it in the details of the base, or choose another.`
  const names = bases?.map(({ base }) => base) ?? []
  const options = names.includes(row.base)
    ? names
    : [{ value: row.base, label: row.base || 'Choose a base' }, ...names]
  return (
    <Select label={members.base.label} error={wrong} value={row.base} onChange={change} options={options} />
  )
}

function BaseOptions({ row, change }: { row: Named; change: (row: Named) => void }) {
  const mode: string = row.mode ?? members.mode.default.value
  const own = mode === 'always' ? 'auto' : mode // the same by another name
  const put = (name: 'mode' | 'k' | 'min_score', value: number | string | undefined) => {
    const { [name]: _, ...others } = row
    change(value === undefined ? others : { ...others, [name]: value })
  }
  return (
    <div className="fields">
      <Select
        label={members.mode.label}
        hint={modeHints[own]}
        value={own}
        onChange={(next) => put('mode', next)}
        options={modes.map((each) => ({ value: each, label: modeLabels[each] ?? each }))}
      />
      {own === 'whole' ? null : (
        <>
          <NumberField
            label={members.k.label}
            placeholder={`Default: ${defaultText(members.k.default)}`}
            value={row.k}
            onChange={(k) => put('k', k)}
          />
          <NumberField
            label={members.min_score.label}
            placeholder={`Default: ${defaultText(members.min_score.default)}`}
            value={row.min_score}
            onChange={(score) => put('min_score', score)}
          />
        </>
      )}
    </div>
  )
}
