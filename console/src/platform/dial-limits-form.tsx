import type { DialLimits } from '@switchroom/contract/dialling'
import { useState, type FormEvent } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { Loaded, Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox, TextField } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'

export function DialLimitsForm({ org }: { org: string }) {
  const limits = useGet<DialLimits>(path`/v1/ops/orgs/${org}/dialling`)
  return (
    <Section title="Dial limits" hint="Leave a field empty for the default.">
      <Loaded of={limits}>
        {(current) => <Fields key={JSON.stringify(current)} org={org} current={current} />}
      </Loaded>
    </Section>
  )
}

const names = {
  per_minute: 'Dials per minute',
  per_day: 'Dials per day',
  max_duration_s: 'Maximum call duration (seconds)',
}

function Fields({ org, current }: { org: string; current: DialLimits }) {
  const [anywhere, setAnywhere] = useState(current.dial_anywhere)
  const [limits, setLimits] = useState<Record<keyof typeof names, string>>({
    per_minute: String(current.per_minute),
    per_day: String(current.per_day),
    max_duration_s: String(current.max_duration_s),
  })
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const numbers = Object.entries(limits).map(([name, value]) => [name, value === '' ? null : Number(value)])
    const body = { dial_anywhere: anywhere, ...Object.fromEntries(numbers) }
    if (await send('put', path`/v1/ops/orgs/${org}/dialling`, body)) toast('Limits saved.')
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
        label="Allow calls to new contacts"
        hint="Numbers that never called or wrote."
        checked={anywhere}
        onChange={setAnywhere}
      />
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Save limits
        </Button>
      </div>
    </form>
  )
}
