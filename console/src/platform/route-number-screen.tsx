import type { ImportedNumber } from '@switchroom/contract/numbers'
import type { OrgList } from '@switchroom/contract/orgs'
import { useState, type FormEvent } from 'react'
import { useGet, useSend } from '../api/queries.ts'
import { Loaded, Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Select, TextField } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'

/** Routes a number of the platform to an agent of any org. */
export function RouteNumberScreen() {
  const orgs = useGet<OrgList>('/v1/ops/orgs')
  return (
    <Page title="Route number">
      <Loaded of={orgs}>{({ orgs: all }) => <RouteForm slugs={all.map(({ slug }) => slug)} />}</Loaded>
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
    <Section title="Route">
      <form className="stack" onSubmit={(event) => void submit(event)}>
        <div className="fields">
          <Select label="Organization" value={wanted.org} onChange={change('org')} options={slugs} />
          <TextField
            label="Number"
            hint="Format: +34911234567."
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
            options={[
              { value: 'phone', label: 'Phone' },
              { value: 'msgapp', label: 'WhatsApp' },
            ]}
          />
          <TextField
            label="Carrier"
            hint="Leave empty for the first."
            value={wanted.via}
            onChange={change('via')}
          />
        </div>
        <Refusal error={error} />
        {made ? (
          <div role="status">
            <p>The number is routed.</p>
            <ul>
              {made.steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ul>
          </div>
        ) : null}
        <div className="row">
          <Button tone="primary" type="submit" busy={busy}>
            Route number
          </Button>
        </div>
      </form>
    </Section>
  )
}
