import type { CarrierList, OutboundReadiness, ProvisionedOutbound } from '@switchroom/contract/carriers'
import { useState } from 'react'
import { Link } from 'wouter'
import { useGet, useSend } from '../api/queries.ts'
import { Answered, Refusal } from '../ui/answers.tsx'
import { Lamp } from '../ui/badge.tsx'
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

/** Whether calls can be placed, what is missing, and what they are held to. */
export function Outbound() {
  const readiness = useGet<OutboundReadiness>('/v1/carrier/outbound')
  return (
    <Page title="Calling out">
      <NumberTabs current="/numbers/outbound" />
      <Answered of={readiness} label="Looking what stands">
        {(ready) => (
          <>
            <Readiness readiness={ready} />
            <Limits readiness={ready} />
          </>
        )}
      </Answered>
      <PolicyForm />
    </Page>
  )
}

function Readiness({ readiness: { ready, from_numbers, steps_missing } }: { readiness: OutboundReadiness }) {
  return (
    <Section title="Can this environment call out?">
      <Lamp state={ready ? 'ok' : 'waiting'} label={ready ? 'Calls can be placed' : 'Something is missing'} />
      {steps_missing.length > 0 ? (
        <ul className="missing" aria-label="What is missing">
          {steps_missing.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      ) : null}
      {from_numbers.length > 0 ? <p>It would dial from {from_numbers.join(', ')}.</p> : null}
      {ready ? (
        <div>
          <Link href="/numbers/dial">Dial</Link>
        </div>
      ) : null}
      <Provision />
    </Section>
  )
}

/** Makes at the carrier what calls go out through, after a look at what that is. */
function Provision() {
  const { data } = useGet<CarrierList>('/v1/carriers')
  const dialling = data?.carriers.filter(({ kind }) => kind !== 'msgapp') ?? []
  const [chosen, setChosen] = useState('')
  const [looked, setLooked] = useState<ProvisionedOutbound | null>(null)
  const { send, busy, error } = useSend()
  const account = chosen || dialling[0]?.account
  if (account === undefined)
    return (
      <p>
        <Link href="/numbers/carriers">Add an account</Link> that calls can go out through.
      </p>
    )
  const ask = async (dryRun: boolean) => {
    const query = new URLSearchParams({ account, ...(dryRun && { dry_run: 'true' }) })
    const answer = await send<ProvisionedOutbound>('post', `/v1/carrier/outbound?${query.toString()}`)
    if (answer) setLooked(answer)
    if (answer && !dryRun) toast('What calls go out through stands')
  }
  return (
    <div className="stack">
      {dialling.length > 1 ? (
        <Select
          label="Account"
          value={account}
          onChange={(value) => {
            setChosen(value)
            setLooked(null)
          }}
          options={dialling.map(({ account: value, label }) => ({ value, label: label || value }))}
        />
      ) : null}
      <Refusal error={error} />
      {looked ? (
        <div className="stack" role="status">
          <p>
            {looked.dry_run ? 'Calls would go out through' : 'Calls go out through'}{' '}
            <code>{looked.host}</code>.
          </p>
          <Steps label="What calls go out through" steps={looked.steps} />
        </div>
      ) : null}
      <div className="row">
        <Button busy={busy} onClick={() => void ask(true)}>
          Look what it takes
        </Button>
        {looked?.dry_run ? (
          <Button tone="primary" busy={busy} onClick={() => void ask(false)}>
            Make it stand
          </Button>
        ) : null}
      </div>
    </div>
  )
}

function Limits({ readiness: { guards } }: { readiness: OutboundReadiness }) {
  return (
    <Section title="What the operator allows">
      <dl className="facts">
        <dt>Strangers</dt>
        <dd>{guards.dial_anywhere ? 'May be dialled' : 'Only whoever called or wrote before is dialled'}</dd>
        <dt>Longest call</dt>
        <dd>{lengthOf(guards.max_duration_s)}</dd>
        <dt>In force</dt>
        <dd>
          {guards.per_minute} dials a minute, {guards.per_day} a day
        </dd>
      </dl>
    </Section>
  )
}
