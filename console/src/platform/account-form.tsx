import type { Account } from '@switchroom/contract/accounts'
import { useState, type FormEvent } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { Loaded, Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox, Select, TextField } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'

/** Live calls spend credits. */
const everyMs = 5000

export function AccountForm({ org }: { org: string }) {
  const account = useGet<Account>(path`/v1/ops/orgs/${org}/account`, { everyMs })
  return (
    <Section title="Account" hint="Plan and credits. One credit is one US cent.">
      <Loaded of={account}>
        {(current) => <Fields key={`${current.plan} ${current.subscribed}`} org={org} current={current} />}
      </Loaded>
    </Section>
  )
}

function Fields({ org, current }: { org: string; current: Account }) {
  const [plan, setPlan] = useState<string>(current.plan)
  const [subscribed, setSubscribed] = useState(current.subscribed)
  const [typed, setTyped] = useState<string | null>(null)
  const credits = typed ?? String(current.credits)
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const body = { plan, subscribed, credits: Number(credits) }
    if (!(await send('put', path`/v1/ops/orgs/${org}/account`, body))) return
    setTyped(null)
    toast('Account saved.')
  }
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <div className="fields">
        <Select
          label="Plan"
          value={plan}
          onChange={setPlan}
          options={[
            { value: 'free', label: 'Free' },
            { value: 'pro', label: 'Pro' },
            { value: 'enterprise', label: 'Enterprise' },
          ]}
        />
        <TextField label="Credits" inputMode="decimal" required value={credits} onChange={setTyped} />
      </div>
      <Checkbox
        label="Subscribed"
        hint="Required for speech from the voice server."
        checked={subscribed}
        onChange={setSubscribed}
      />
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Save account
        </Button>
      </div>
    </form>
  )
}
