import type { OrgDetail, QuotaName } from '@switchroom/contract/orgs'
import { useState, type FormEvent } from 'react'
import { path } from '../api/client.ts'
import { useSend } from '../api/queries.ts'
import { Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'

const labels: Record<QuotaName, string> = {
  minutes: 'Minutes of calls in a month',
  messages: 'Messages',
  agents: 'Agents',
  concurrent_calls: 'Concurrent calls',
  numbers: 'Numbers',
  seats: 'Seats',
}
const names = Object.keys(labels) as QuotaName[]

export function QuotasForm({ org, current: { quotas, holding } }: { org: string; current: OrgDetail }) {
  const [limits, setLimits] = useState(() =>
    Object.fromEntries(names.map((name) => [name, quotas[name] === null ? '' : String(quotas[name])])),
  )
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const wanted = Object.fromEntries(names.map((name) => [name, limits[name] ? Number(limits[name]) : null]))
    if (await send('put', path`/v1/ops/orgs/${org}/quotas`, wanted)) toast('Quotas saved.')
  }
  return (
    <Section title="Quotas" hint="Empty means no limit, 0 means none.">
      <form className="stack" onSubmit={(event) => void submit(event)}>
        <div className="fields">
          {names.map((name) => (
            <TextField
              key={name}
              label={labels[name]}
              hint={`In use: ${name === 'minutes' ? holding.minutes.toFixed(1) : holding[name]}.`}
              inputMode="numeric"
              pattern="[0-9]*"
              placeholder="No limit"
              value={limits[name] ?? ''}
              onChange={(value) => setLimits({ ...limits, [name]: value })}
            />
          ))}
        </div>
        <Refusal error={error} />
        <div className="row">
          <Button tone="primary" type="submit" busy={busy}>
            Save quotas
          </Button>
        </div>
      </form>
    </Section>
  )
}
