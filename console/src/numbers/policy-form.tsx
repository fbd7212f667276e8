import type { ChangePolicy, DialPolicy, Weekday } from '@switchroom/contract/dialling'
import { useState } from 'react'
import { useGet, useSend } from '../api/queries.ts'
import { Loaded, Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox, TextField } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'

const days: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const dayNames: Record<Weekday, string> = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
}

/** The org's own limits, in addition to the law's and the operator's. */
export function PolicyForm() {
  const policy = useGet<DialPolicy>('/v1/org/policy')
  return (
    <Section
      title="Calling limits"
      hint="Your own limits. They can be stricter than the law and the operator, never looser."
    >
      <Loaded of={policy} label="Loading limits">
        {(current) => <Form key={JSON.stringify(current)} policy={current} />}
      </Loaded>
    </Section>
  )
}

function Form({ policy }: { policy: DialPolicy }) {
  const { calling_hours: hours } = policy
  const [hasHours, setHasHours] = useState(hours !== null)
  const [start, setStart] = useState(hours?.start ?? '09:00')
  const [end, setEnd] = useState(hours?.end ?? '18:00')
  const [onDays, setOnDays] = useState<readonly Weekday[]>(hours?.days ?? days)
  const [everywhere, setEverywhere] = useState(policy.consent_everywhere)
  const [perNumber, setPerNumber] = useState(
    policy.per_number_day === null ? '' : String(policy.per_number_day),
  )
  const [perMinute, setPerMinute] = useState(String(policy.per_minute))
  const [perDay, setPerDay] = useState(String(policy.per_day))
  const { send, busy, error } = useSend()
  const save = async () => {
    const body: ChangePolicy = {
      calling_hours: hasHours ? { start, end, days: [...onDays] } : null,
      consent_everywhere: everywhere,
      per_number_day: perNumber === '' ? null : Number(perNumber),
      ...(perMinute !== String(policy.per_minute) && {
        per_minute: perMinute === '' ? null : Number(perMinute),
      }),
      ...(perDay !== String(policy.per_day) && { per_day: perDay === '' ? null : Number(perDay) }),
    }
    if (await send('put', '/v1/org/policy', body)) toast('Calling limits saved.')
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Checkbox
        label="Limit calling hours"
        hint="Local time of the called number. Numbers in +1 are always limited to 8:00 to 21:00."
        checked={hasHours}
        onChange={setHasHours}
      />
      {hasHours ? (
        <>
          <div className="fields">
            <TextField label="From" value={start} onChange={setStart} placeholder="09:00" maxLength={5} />
            <TextField label="Until" value={end} onChange={setEnd} placeholder="18:00" maxLength={5} />
          </div>
          <fieldset className="days">
            <legend>Days</legend>
            {days.map((day) => (
              <Checkbox
                key={day}
                label={dayNames[day]}
                checked={onDays.includes(day)}
                onChange={(on) => setOnDays(days.filter((one) => (one === day ? on : onDays.includes(one))))}
              />
            ))}
          </fieldset>
        </>
      ) : null}
      <Checkbox
        label="Require consent in every country"
        hint="Otherwise only for numbers in +1."
        checked={everywhere}
        onChange={setEverywhere}
      />
      <div className="fields">
        <Count
          label="Dials per number and day"
          value={perNumber}
          onChange={setPerNumber}
          hint="Default: 3 for +1, no limit elsewhere."
        />
        <Count
          label="Dials per minute"
          value={perMinute}
          onChange={setPerMinute}
          hint="Default: the operator’s limit."
        />
        <Count
          label="Dials per day"
          value={perDay}
          onChange={setPerDay}
          hint="Default: the operator’s limit."
        />
      </div>
      <Refusal error={error} />
      <div className="row">
        <Button type="submit" tone="primary" busy={busy}>
          Save
        </Button>
      </div>
    </form>
  )
}

interface CountProps {
  label: string
  value: string
  onChange: (value: string) => void
  hint: string
}

function Count(props: CountProps) {
  return <TextField {...props} inputMode="numeric" pattern="[0-9]*" maxLength={6} />
}
