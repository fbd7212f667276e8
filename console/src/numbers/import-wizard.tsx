import type { ImportedNumber } from '@switchroom/contract/numbers'
import type { CarrierCatalogue } from '@switchroom/contract/carriers'
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useGet, useSend } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { Refusal } from '../ui/answers.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Checkbox, Select, TextArea, TextField } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'
import { useFilters } from '../api/query-filters.ts'
import { AccountNumbers } from './account-numbers.tsx'
import { AgentField } from './agent-field.tsx'
import { emptyDraft, missingFrom, requestOf, type Draft, type Source } from './import-request.ts'
import './numbers.css'
import { Steps } from './steps-list.tsx'

type Change = (changed: Partial<Draft>) => void

/** A number leads here in two presses: one that looks and writes nothing, and one that does it. */
export function ImportWizard() {
  const { env } = useSession()
  const [, go] = useLocation()
  const [{ number, agent }] = useFilters(['number', 'agent'])
  const [draft, setDraft] = useState<Draft>({ ...emptyDraft, number, agent })
  const [looked, setLooked] = useState<ImportedNumber | null>(null)
  const { data: catalogue } = useGet<CarrierCatalogue>('/v1/carriers/catalog')
  const looking = useSend()
  const doing = useSend()
  const result = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (looked) result.current?.scrollIntoView({ block: 'nearest' })
  }, [looked])
  const change: Change = (changed) => {
    setDraft((before) => ({ ...before, ...changed }))
    setLooked(null)
    looking.clear()
    doing.clear()
  }
  const missing = missingFrom(draft)
  const look = async () => {
    const { path, body } = requestOf(draft)
    setLooked(await looking.send<ImportedNumber>('post', `${path}?dry_run=true`, body))
  }
  const carryOut = async () => {
    const { path, body } = requestOf(draft)
    const done = await doing.send<ImportedNumber>('post', path, body)
    if (!done) return
    toast(`${done.route.number} leads to ${done.route.agent}`)
    go(`/numbers/${encodeURIComponent(done.route.number)}`)
  }
  const error = looking.error ?? doing.error
  const mayMove = draft.source === 'account' && (draft.move || error?.message.includes('send move'))
  return (
    <Page title="Bring a number" actions={<ButtonLink href="/numbers">All numbers</ButtonLink>}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (missing === null) void look()
        }}
      >
        <Section title="1. Where is the number?">
          <Sources draft={draft} change={change} sells={catalogue?.sells ?? false} />
          {draft.source === 'account' ? <AccountNumbers draft={draft} change={change} /> : null}
          {draft.source === 'hooked' ? (
            <HookedNumber draft={draft} change={change} catalogue={catalogue} />
          ) : null}
          {draft.source === 'bought' ? <BoughtNumber draft={draft} change={change} /> : null}
        </Section>
        <Section
          title="2. Who answers?"
          hint={`In ${env}. Another environment is chosen at the top of the page.`}
        >
          <AgentField
            value={draft.agent}
            onChange={(value) => change({ agent: value })}
            hint="Its app may be connected later; until then the number does not ring."
          />
        </Section>
        <Section
          title="3. Look first"
          hint="A dry run asks the carrier and the media server, and writes nothing."
        >
          <Refusal error={error} />
          {mayMove ? (
            <Checkbox
              label="Take it off there first"
              hint="Its calls no longer reach what that trunk points at."
              checked={draft.move}
              onChange={(move) => change({ move })}
            />
          ) : null}
          {missing === null ? null : <p className="soft">{missing}</p>}
          {looked ? (
            <div className="stack" role="status" ref={result}>
              <p>
                <strong>{looked.route.number}</strong> would lead to <strong>{looked.route.agent}</strong> in{' '}
                {looked.route.env}. Nothing is written yet.
              </p>
              <Steps label="What would happen" steps={looked.steps} />
              <div className="row">
                <Button tone="primary" busy={doing.busy} onClick={() => void carryOut()}>
                  {draft.source === 'bought' ? 'Buy it' : 'Bring it'}
                </Button>
                <Button type="submit" busy={looking.busy}>
                  Look again
                </Button>
              </div>
            </div>
          ) : (
            <div className="row">
              <Button type="submit" tone="primary" busy={looking.busy} disabled={missing !== null}>
                Look what would happen
              </Button>
            </div>
          )}
        </Section>
      </form>
    </Page>
  )
}

interface SourcesProps {
  draft: Draft
  change: Change
  sells: boolean
}

function Sources({ draft, change, sells }: SourcesProps) {
  const sources: { value: Source; label: string; hint: string }[] = [
    {
      value: 'account',
      label: 'In an account of ours',
      hint: 'The platform drives the carrier, or a SIP peer sends it.',
    },
    {
      value: 'hooked',
      label: 'At another carrier',
      hint: 'You point it here yourself; the operator approves it.',
    },
    ...(sells
      ? [{ value: 'bought' as const, label: 'We have none', hint: 'The platform buys one for you.' }]
      : []),
  ]
  return (
    <fieldset className="sources">
      <legend className="sr-only">Where is the number?</legend>
      {sources.map(({ value, label, hint }) => (
        <div key={value} className="source">
          <input
            type="radio"
            id={`source-${value}`}
            aria-describedby={`source-${value}-hint`}
            name="source"
            value={value}
            checked={draft.source === value}
            onChange={() => change({ source: value })}
          />
          <div>
            <label htmlFor={`source-${value}`}>{label}</label>
            <p className="soft" id={`source-${value}-hint`}>
              {hint}
            </p>
          </div>
        </div>
      ))}
    </fieldset>
  )
}

function HookedNumber({
  draft,
  change,
  catalogue,
}: Omit<SourcesProps, 'sells'> & { catalogue: CarrierCatalogue | undefined }) {
  const carriers = catalogue?.carriers.map(({ kind, name }) => ({ value: kind, label: name })) ?? []
  return (
    <div className="fields">
      <TextField
        label="Number"
        type="tel"
        value={draft.number}
        onChange={(number) => change({ number })}
        placeholder="+15550100100"
      />
      <Select
        label="Its calls come through"
        value={draft.via}
        onChange={(via) => change({ via })}
        options={[{ value: '', label: 'Networks of our own' }, ...carriers]}
      />
      {draft.via === '' ? (
        <TextArea
          label="Networks"
          value={draft.networks}
          onChange={(networks) => change({ networks })}
          hint="Public IPv4 addresses or networks no wider than a /24, one a line."
          spellCheck={false}
        />
      ) : null}
    </div>
  )
}

function BoughtNumber({ draft, change }: Omit<SourcesProps, 'sells'>) {
  return (
    <div className="fields">
      <TextField
        label="Country"
        value={draft.country}
        onChange={(country) => change({ country })}
        maxLength={2}
        hint="Two letters, such as US or GB."
      />
      <TextField
        label="Area code"
        value={draft.areaCode}
        onChange={(areaCode) => change({ areaCode })}
        maxLength={6}
        inputMode="numeric"
        hint="Any where it is left empty."
      />
    </div>
  )
}
