import { knobTable, memberDefaults, type Knob } from '@switchroom/contract/knobs'
import type { Config, EndOfTurn, Greeting, Turn } from '@switchroom/contract/settings'
import { useState } from 'react'
import { Checkbox, Select, TextArea, TextField } from '../ui/field.tsx'
import { AnsweringMachineEditor } from './answering-machine-editor.tsx'
import { BasesEditor } from './bases-editor.tsx'
import { NumberField } from './number-field.tsx'
import { defaultText, type KnobField } from './knob-list.ts'

const { members: greetingMembers } = knobTable.greeting.shape
const { members: memoryMembers } = knobTable.memory.shape
const { members: turnMembers } = knobTable.turn.shape
const greetingDefaults = memberDefaults('greeting')

export interface KnobEditorProps {
  agent: string
  field: KnobField
  config: Config
  /** The value that applies while nothing is set: "Default: 12", "Team: en". */
  inherited: string
  /** The settings of the scope below. */
  below: Config
  error: string | undefined
  disabled: boolean
  change: (changed: Partial<Config>) => void
}

/** The control of a knob. Undefined unsets it. */
export function KnobEditor(props: KnobEditorProps) {
  const { field, config, inherited, error, disabled, change } = props
  const { knob, label, hint } = field
  const shared = { label, hint, error, disabled }
  const value = config[knob]
  switch (field.kind) {
    case 'greeting':
      return <GreetingEditor {...props} />
    case 'answering_machine':
      return (
        <AnsweringMachineEditor
          {...{ ...shared, inherited }}
          value={config.answering_machine}
          change={(next) => change({ answering_machine: next })}
        />
      )
    case 'turn':
      return <TurnEditor {...props} />
    case 'memory':
      return <MemoryEditor {...props} />
    case 'bases':
      return (
        <BasesEditor
          {...{ ...shared, inherited }}
          agent={props.agent}
          value={config.bases}
          below={props.below.bases}
          change={(bases) => change({ bases })}
        />
      )
    case 'json':
      return <JsonEditor key={JSON.stringify(value)} {...props} />
    case 'hangup':
      return (
        <TextField
          {...shared}
          placeholder={inherited}
          value={config.hangup?.when ?? ''}
          onChange={(when) => change({ hangup: when === '' ? undefined : { when } })}
        />
      )
    case 'flag':
      return (
        <Select
          {...shared}
          value={value === undefined ? '' : shown(value)}
          onChange={(said) => change(one(knob, said === '' ? undefined : said === 'true'))}
          options={[
            { value: '', label: inherited },
            { value: 'true', label: 'Yes' },
            { value: 'false', label: 'No' },
          ]}
        />
      )
    case 'turn-end':
      return (
        <Select
          {...shared}
          value={config.end_of_turn ?? ''}
          onChange={(said) => change(one(knob, said === '' ? undefined : said))}
          options={[
            { value: '', label: inherited },
            ...knobTable.end_of_turn.shape.choices.map((choice) => ({
              value: choice,
              label: turnEndLabels[choice],
            })),
          ]}
        />
      )
    case 'number':
      return (
        <NumberField
          {...shared}
          placeholder={inherited}
          value={typeof value === 'number' || typeof value === 'string' ? value : undefined}
          onChange={(said) => change(one(knob, said))}
        />
      )
    case 'long':
      return (
        <TextArea
          {...shared}
          rows={6}
          placeholder={inherited}
          value={typeof value === 'string' ? value : ''}
          onChange={(said) => change(one(knob, said === '' ? undefined : said))}
        />
      )
    case 'text':
      return (
        <TextField
          {...shared}
          placeholder={inherited}
          value={typeof value === 'string' ? value : ''}
          onChange={(said) => change(one(knob, said === '' ? undefined : said))}
        />
      )
  }
}

const turnEndLabels: Record<EndOfTurn, string> = {
  stt: 'Speech-to-text model',
  framework: 'Silence and transcript',
  'smart-turn': 'Smart-turn model',
}

const shown = (value: Config[Knob]) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

const one = (knob: Knob, value: unknown): Partial<Config> => ({ [knob]: value })

function GreetingEditor({ field, config, inherited, below, error, disabled, change }: KnobEditorProps) {
  const { greeting } = config
  const verb = greeting === undefined ? '' : greeting.reply === undefined ? 'say' : 'reply'
  const set = (next: Greeting | undefined) => change({ greeting: next })
  // Starts with the inherited text.
  const wordsOf = (said: string) => (said === 'say' ? below.greeting?.say : below.greeting?.reply) ?? ''
  // a greeting that is made here can be talked over; one that stands keeps what it says
  const made = { allow_interruptions: below.greeting?.allow_interruptions ?? true }
  const { say: _say, reply: _reply, ...rest }: Greeting = greeting ?? made
  return (
    <div className="stack knob-parts">
      <Select
        label={field.label}
        error={verb === '' ? error : undefined}
        disabled={disabled}
        value={verb}
        onChange={(said) => set(said === '' ? undefined : { [said]: wordsOf(said), ...rest })}
        options={[
          { value: '', label: inherited },
          { value: 'say', label: 'Fixed text' },
          { value: 'reply', label: 'Written by the model' },
        ]}
      />
      {verb === 'say' || verb === 'reply' ? (
        <>
          <TextArea
            label={greetingMembers[verb].label}
            rows={3}
            error={error}
            disabled={disabled}
            value={greeting?.[verb] ?? ''}
            onChange={(said) => set({ [verb]: said, ...rest })}
          />
          <Checkbox
            label={greetingMembers.allow_interruptions.label}
            disabled={disabled}
            checked={greeting?.allow_interruptions ?? greetingDefaults.allow_interruptions}
            onChange={(allow_interruptions) => set({ ...greeting, allow_interruptions })}
          />
        </>
      ) : null}
    </div>
  )
}

const turnParts = (Object.keys(turnMembers) as (keyof Turn)[]).toSorted(
  (a, b) => Number(b === 'endpointing_ms') - Number(a === 'endpointing_ms'), // first on screen
)

function TurnEditor({ field, config, below, error, disabled, change }: KnobEditorProps) {
  const team = config.turn === undefined ? below.turn : undefined // a scope sets the knob as a whole
  const set = (name: keyof Turn, said: number | string | undefined) => {
    const { [name]: _, ...others } = config.turn ?? {}
    const next = said === undefined ? others : { ...others, [name]: said }
    change({ turn: Object.keys(next).length === 0 ? undefined : next })
  }
  return (
    <fieldset className="knob-parts" disabled={disabled}>
      <legend>{field.label}</legend>
      <div className="fields">
        {turnParts.map((name) => (
          <NumberField
            key={name}
            label={turnMembers[name].label}
            placeholder={
              team?.[name] === undefined
                ? `Default: ${defaultText(turnMembers[name].default)}`
                : `Team: ${team[name]}`
            }
            error={error !== undefined && error.includes(name) ? error : undefined}
            value={config.turn?.[name]}
            onChange={(said) => set(name, said)}
          />
        ))}
      </div>
      {error !== undefined && !turnParts.some((name) => error.includes(name)) ? (
        <p className="field-error" role="alert">
          {error}
        </p>
      ) : null}
    </fieldset>
  )
}

function MemoryEditor({ field, config, inherited, error, disabled, change }: KnobEditorProps) {
  const set = (name: 'remember' | 'forget', said: string) => {
    const { [name]: _, ...others } = config.memory ?? {}
    const next = said === '' ? others : { ...others, [name]: said }
    change({ memory: Object.keys(next).length === 0 ? undefined : next })
  }
  const text = (said: string | string[] | undefined) => (Array.isArray(said) ? said.join('\n') : (said ?? ''))
  return (
    <fieldset className="knob-parts" disabled={disabled}>
      <legend>{field.label}</legend>
      <p className="field-hint">{inherited}</p>
      <div className="fields">
        <TextArea
          label={memoryMembers.remember.label}
          error={error}
          value={text(config.memory?.remember)}
          onChange={(said) => set('remember', said)}
        />
        <TextArea
          label={memoryMembers.forget.label}
          value={text(config.memory?.forget)}
          onChange={(said) => set('forget', said)}
        />
      </div>
    </fieldset>
  )
}

/** Applied once it is valid JSON; until then the text stays, with an error. */
function JsonEditor({ field, config, inherited, error, disabled, change }: KnobEditorProps) {
  const value = config[field.knob]
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2))
  const [wrong, setWrong] = useState<string | null>(null)
  const leave = () => {
    try {
      const parsed: unknown = text.trim() === '' ? undefined : JSON.parse(text)
      setWrong(null)
      change(one(field.knob, parsed))
    } catch {
      setWrong('Invalid JSON. It is left out when you save.')
    }
  }
  return (
    <TextArea
      label={field.label}
      hint={field.hint ?? 'JSON'}
      error={wrong ?? error}
      disabled={disabled}
      rows={4}
      spellCheck={false}
      placeholder={inherited}
      value={text}
      onChange={setText}
      onBlur={leave}
    />
  )
}
