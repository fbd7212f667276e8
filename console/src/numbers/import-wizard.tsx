import type { ImportedNumber } from '@switchroom/contract/numbers'
import type { CarrierCatalogue } from '@switchroom/contract/carriers'
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { Refused } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { Empty, Refusal } from '../ui/feedback.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Checkbox, Select, TextArea, TextField } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'
import { useFilters } from '../api/query-filters.ts'
import { AccountNumbers } from './account-numbers.tsx'
import { AgentField } from './agent-field.tsx'
import { BoughtNumber } from './bought-number.tsx'
import { emptyDraft, missingFrom, requestOf, type Draft, type Source } from './import-request.ts'
import { carrierLabel } from './number-labels.ts'
import './numbers.css'
import { Steps } from './steps-list.tsx'

type Change = (changed: Partial<Draft>) => void

/** Imports a number in two steps: a preview that changes nothing, then the import. */
export function ImportWizard() {
  const { env } = useSession()
  const [, go] = useLocation()
  const [{ number, agent }] = useFilters(['number', 'agent'])
  const [draft, setDraft] = useState<Draft>({ ...emptyDraft, number, agent })
  const [previewed, setPreviewed] = useState<ImportedNumber | null>(null)
  const { data: catalogue } = useGet<CarrierCatalogue>('/v1/carriers/catalog')
  const previewing = useSend()
  const importing = useSend()
  const result = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (previewed) result.current?.scrollIntoView({ block: 'nearest' })
  }, [previewed])
  const change: Change = (changed) => {
    setDraft((before) => ({ ...before, ...changed }))
    setPreviewed(null)
    previewing.clear()
    importing.clear()
  }
  const missing = missingFrom(draft)
  const preview = async () => {
    const { path, body } = requestOf(draft)
    setPreviewed(await previewing.send<ImportedNumber>('post', `${path}?dry_run=true`, body))
  }
  const importNumber = async () => {
    const { path, body } = requestOf(draft)
    const done = await importing.send<ImportedNumber>('post', path, body)
    if (!done) return
    toast(`${done.route.number} is routed to ${done.route.agent}.`)
    go(`/numbers/${encodeURIComponent(done.route.number)}`)
  }
  const error = previewing.error ?? importing.error
  const mayMove =
    draft.source === 'account' &&
    (draft.move || (error instanceof Refused && error.detail.includes('send move')))
  return (
    <Page title="Import number" actions={<ButtonLink href="/numbers">All numbers</ButtonLink>}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (missing === null) void preview()
        }}
      >
        <Section title="1. Number">
          {catalogue?.receives[env] === false ? (
            <Empty title={`Numbers cannot ring in ${env === 'sandbox' ? 'the sandbox' : 'production'} yet`}>
              <p>
                Carriers cannot send calls to this platform’s {env} yet. Ask the operator of the platform to
                give it an address for calls. WhatsApp numbers work without it.
              </p>
            </Empty>
          ) : null}
          <Sources draft={draft} change={change} sells={catalogue?.sells ?? false} />
          {draft.source === 'account' ? <AccountNumbers draft={draft} change={change} /> : null}
          {draft.source === 'hooked' ? (
            <HookedNumber draft={draft} change={change} catalogue={catalogue} />
          ) : null}
          {draft.source === 'bought' ? <BoughtNumber draft={draft} change={change} /> : null}
        </Section>
        <Section title="2. Agent" hint={`Environment: ${env}. Change it at the top of the page.`}>
          <AgentField
            value={draft.agent}
            onChange={(value) => change({ agent: value })}
            hint="You can connect its app later. Until then the number does not ring."
          />
        </Section>
        <Section
          title="3. Preview"
          hint="A dry run asks the carrier and the media server, and changes nothing."
        >
          <Refusal error={error} />
          {mayMove ? (
            <Checkbox
              label="Move it from that trunk"
              hint="Its calls no longer reach that trunk."
              checked={draft.move}
              onChange={(move) => change({ move })}
            />
          ) : null}
          {missing === null ? null : <p className="soft">{missing}</p>}
          {previewed ? (
            <div className="stack" role="status" ref={result}>
              <p>
                <strong>{previewed.route.number}</strong> would be routed to{' '}
                <strong>{previewed.route.agent}</strong> in {previewed.route.env}. Nothing is changed yet.
              </p>
              <Steps label="Planned changes" steps={previewed.steps} />
              <div className="row">
                <Button tone="primary" busy={importing.busy} onClick={() => void importNumber()}>
                  {draft.source === 'bought' ? 'Buy number' : 'Import number'}
                </Button>
                <Button type="submit" busy={previewing.busy}>
                  Preview again
                </Button>
              </div>
            </div>
          ) : (
            <div className="row">
              <Button type="submit" tone="primary" busy={previewing.busy} disabled={missing !== null}>
                Preview
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
      label: 'From a connected carrier',
      hint: 'The platform configures the carrier, or your SIP peer sends the calls.',
    },
    {
      value: 'hooked',
      label: 'From another carrier',
      hint: 'You point it here yourself. The operator approves it.',
    },
    ...(sells
      ? [{ value: 'bought' as const, label: 'Buy a number', hint: 'The platform buys one for you.' }]
      : []),
  ]
  return (
    <fieldset className="sources">
      <legend className="sr-only">Source of the number</legend>
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
  const carriers =
    catalogue?.carriers.map(({ kind, name }) => ({ value: kind, label: carrierLabel(kind, name) })) ?? []
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
        label="Carrier"
        value={draft.via}
        onChange={(via) => change({ via })}
        options={[{ value: '', label: 'Own networks' }, ...carriers]}
      />
      {draft.via === '' ? (
        <TextArea
          label="Networks"
          value={draft.networks}
          onChange={(networks) => change({ networks })}
          hint="Public IPv4 addresses or networks of at most a /24, one per line."
          spellCheck={false}
        />
      ) : null}
    </div>
  )
}
