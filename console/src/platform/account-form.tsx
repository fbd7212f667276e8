import type { Account } from '@switchroom/contract/accounts'
import { useState, type FormEvent } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { Answered, Refusal } from '../ui/answers.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox, Select, TextField } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'

/** Calls that go on spend credits while somebody looks. */
const everyMs = 5000

export function AccountForm({ org }: { org: string }) {
  const account = useGet<Account>(path`/v1/ops/orgs/${org}/account`, { everyMs })
  return (
    <Section title="Account" hint="What it pays with. A credit is a US cent.">
      <Answered of={account}>
        {(standing) => (
          <Fields key={`${standing.plan} ${standing.subscribed}`} org={org} standing={standing} />
        )}
      </Answered>
    </Section>
  )
}

function Fields({ org, standing }: { org: string; standing: Account }) {
  const [plan, setPlan] = useState<string>(standing.plan)
  const [subscribed, setSubscribed] = useState(standing.subscribed)
  const [typed, setTyped] = useState<string | null>(null)
  const credits = typed ?? String(standing.credits)
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const body = { plan, subscribed, credits: Number(credits) }
    if (!(await send('put', path`/v1/ops/orgs/${org}/account`, body))) return
    setTyped(null)
    toast('The account is kept.')
  }
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <div className="fields">
        <Select label="Plan" value={plan} onChange={setPlan} options={['free', 'pro', 'enterprise']} />
        <TextField label="Credits" inputMode="decimal" required value={credits} onChange={setTyped} />
      </div>
      <Checkbox
        label="Subscribed"
        hint="Without it the voice server serves no speech."
        checked={subscribed}
        onChange={setSubscribed}
      />
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Save the account
        </Button>
      </div>
    </form>
  )
}
