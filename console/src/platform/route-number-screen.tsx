import type { ImportedNumber } from '@switchroom/contract/numbers'
import type { OrgList } from '@switchroom/contract/orgs'
import { useState, type FormEvent } from 'react'
import { useGet, useSend } from '../api/queries.ts'
import { Answered, Refusal } from '../ui/answers.tsx'
import { Button } from '../ui/button.tsx'
import { Select, TextField } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'

/** The operator's own route: a number of the platform's into any org. */
export function RouteNumberScreen() {
  const orgs = useGet<OrgList>('/v1/ops/orgs')
  return (
    <Page title="Route a number">
      <Answered of={orgs}>{({ orgs: all }) => <RouteForm slugs={all.map(({ slug }) => slug)} />}</Answered>
    </Page>
  )
}

function RouteForm({ slugs }: { slugs: string[] }) {
  const [wanted, setWanted] = useState({
    org: slugs[0] ?? '',
    number: '',
    agent: '',
    env: 'sandbox',
    channel: 'phone',
    via: '',
  })
  const [made, setMade] = useState<ImportedNumber | null>(null)
  const { send, busy, error } = useSend()
  const change = (field: keyof typeof wanted) => (value: string) => setWanted({ ...wanted, [field]: value })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const { number, via, ...needed } = wanted
    setMade(null)
    setMade(
      await send<ImportedNumber>('post', '/v1/ops/numbers', {
        ...needed,
        ...(number && { number }),
        ...(via && { via }),
      }),
    )
  }
  return (
    <Section title="Where it rings">
      <form className="stack" onSubmit={(event) => void submit(event)}>
        <div className="fields">
          <Select label="Org" value={wanted.org} onChange={change('org')} options={slugs} />
          <TextField
            label="Number"
            hint="As +34911234567."
            value={wanted.number}
            onChange={change('number')}
          />
          <TextField label="Agent" required value={wanted.agent} onChange={change('agent')} />
          <Select
            label="Environment"
            value={wanted.env}
            onChange={change('env')}
            options={['sandbox', 'production']}
          />
          <Select
            label="Channel"
            value={wanted.channel}
            onChange={change('channel')}
            options={['phone', 'msgapp']}
          />
          <TextField
            label="Carrier"
            hint="Empty for the first."
            value={wanted.via}
            onChange={change('via')}
          />
        </div>
        <Refusal error={error} />
        {made ? (
          <div role="status">
            <p>It is routed.</p>
            <ul>
              {made.steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ul>
          </div>
        ) : null}
        <div className="row">
          <Button tone="primary" type="submit" busy={busy}>
            Route it
          </Button>
        </div>
      </form>
    </Section>
  )
}
