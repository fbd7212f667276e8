import type { DialLimits } from '@switchroom/contract/dialling'
import { useState, type FormEvent } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { Answered, Refusal } from '../ui/answers.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox, TextField } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'

export function DialLimitsForm({ org }: { org: string }) {
  const limits = useGet<DialLimits>(path`/v1/ops/orgs/${org}/dialling`)
  return (
    <Section title="Dialling" hint="What its dials are held to. An empty field goes back to the default.">
      <Answered of={limits}>
        {(standing) => <Fields key={JSON.stringify(standing)} org={org} standing={standing} />}
      </Answered>
    </Section>
  )
}

const names = {
  per_minute: 'Dials a minute',
  per_day: 'Dials a day',
  max_duration_s: 'Longest call in seconds',
}

function Fields({ org, standing }: { org: string; standing: DialLimits }) {
  const [anywhere, setAnywhere] = useState(standing.dial_anywhere)
  const [limits, setLimits] = useState<Record<keyof typeof names, string>>({
    per_minute: String(standing.per_minute),
    per_day: String(standing.per_day),
    max_duration_s: String(standing.max_duration_s),
  })
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const numbers = Object.entries(limits).map(([name, value]) => [name, value === '' ? null : Number(value)])
    const body = { dial_anywhere: anywhere, ...Object.fromEntries(numbers) }
    if (await send('put', path`/v1/ops/orgs/${org}/dialling`, body)) toast('The limits are kept.')
  }
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <div className="fields">
        {Object.entries(names).map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            inputMode="numeric"
            value={limits[name as keyof typeof names]}
            onChange={(value) => setLimits({ ...limits, [name]: value })}
          />
        ))}
      </div>
      <Checkbox
        label="May dial strangers"
        hint="Numbers that never called or wrote."
        checked={anywhere}
        onChange={setAnywhere}
      />
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Save the limits
        </Button>
      </div>
    </form>
  )
}
