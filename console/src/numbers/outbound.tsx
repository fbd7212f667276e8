import type { CarrierList, OutboundReadiness, ProvisionedOutbound } from '@switchroom/contract/carriers'
import { useState } from 'react'
import { Link } from 'wouter'
import { useGet, useSend } from '../api/queries.ts'
import { screenSentence } from '../api/screen-sentences.ts'
import { Loaded, Refusal } from '../ui/feedback.tsx'
import { StatusLight } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'
import { lengthOf } from '../ui/quantities.ts'
import '../ui/facts.css'
import { NumberTabs } from './number-tabs.tsx'
import './numbers.css'
import { PolicyForm } from './policy-form.tsx'
import { Steps } from './steps-list.tsx'

/** Outbound calls: status, missing steps and limits. */
export function Outbound() {
  const readiness = useGet<OutboundReadiness>('/v1/carrier/outbound')
  return (
    <Page title="Outbound">
      <NumberTabs current="/numbers/outbound" />
      <Loaded of={readiness} label="Loading status">
        {(ready) => (
          <>
            <Readiness readiness={ready} />
            <Limits readiness={ready} />
          </>
        )}
      </Loaded>
      <PolicyForm />
    </Page>
  )
}

function Readiness({ readiness: { ready, from_numbers, steps_missing } }: { readiness: OutboundReadiness }) {
  return (
    <Section title="Status">
      <StatusLight
        state={ready ? 'ok' : 'waiting'}
        label={ready ? 'Calls can be placed' : 'Setup incomplete'}
      />
      {steps_missing.length > 0 ? (
        <ul className="missing" aria-label="Missing steps">
          {steps_missing.map((sentence) => (
            <li key={sentence}>{screenSentence(sentence)}</li>
          ))}
        </ul>
      ) : null}
      {from_numbers.length > 0 ? <p>Calls are placed from {from_numbers.join(', ')}.</p> : null}
      {ready ? (
        <div>
          <Link href="/numbers/dial">Place a call</Link>
        </div>
      ) : null}
      <Provision />
    </Section>
  )
}

/** Sets up outbound calls at the carrier, after a preview. */
function Provision() {
  const { data } = useGet<CarrierList>('/v1/carriers')
  const dialling = data?.carriers.filter(({ kind }) => kind !== 'msgapp') ?? []
  const [chosen, setChosen] = useState('')
  const [setup, setSetup] = useState<ProvisionedOutbound | null>(null)
  const { send, busy, error } = useSend()
  const account = chosen || dialling[0]?.account
  if (account === undefined)
    return (
      <p>
        <Link href="/numbers/carriers">Add a carrier account</Link> for outbound calls.
      </p>
    )
  const ask = async (dryRun: boolean) => {
    const query = new URLSearchParams({ account, ...(dryRun && { dry_run: 'true' }) })
    const answer = await send<ProvisionedOutbound>('post', `/v1/carrier/outbound?${query.toString()}`)
    if (answer) setSetup(answer)
    if (answer && !dryRun) toast('Outbound calls are set up.')
  }
  return (
    <div className="stack">
      {dialling.length > 1 ? (
        <Select
          label="Account"
          value={account}
          onChange={(value) => {
            setChosen(value)
            setSetup(null)
          }}
          options={dialling.map(({ account: value, label }) => ({ value, label: label || value }))}
        />
      ) : null}
      <Refusal error={error} />
      {setup ? (
        <div className="stack" role="status">
          <p>
            {setup.dry_run ? 'Calls would be placed through' : 'Calls are placed through'}{' '}
            <code>{setup.host}</code>.
          </p>
          <Steps label="Outbound setup" steps={setup.steps} />
        </div>
      ) : null}
      <div className="row">
        <Button busy={busy} onClick={() => void ask(true)}>
          Preview setup
        </Button>
        {setup?.dry_run ? (
          <Button tone="primary" busy={busy} onClick={() => void ask(false)}>
            Set up outbound calls
          </Button>
        ) : null}
      </div>
    </div>
  )
}

function Limits({ readiness: { guards } }: { readiness: OutboundReadiness }) {
  return (
    <Section title="Limits set by the operator">
      <dl className="facts">
        <dt>New contacts</dt>
        <dd>{guards.dial_anywhere ? 'Allowed' : 'Not allowed: only numbers that called or wrote before'}</dd>
        <dt>Maximum call duration</dt>
        <dd>{lengthOf(guards.max_duration_s)}</dd>
        <dt>Dial rate</dt>
        <dd>
          {guards.per_minute} per minute, {guards.per_day} per day
        </dd>
      </dl>
    </Section>
  )
}
