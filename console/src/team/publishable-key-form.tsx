import { usualPace, type PublishableKey } from '@switchroom/contract/publishable-keys'
import { useState, type FormEvent } from 'react'
import { useSend } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { useWho } from '../who/identity.ts'
import { Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Select, TextField } from '../ui/field.tsx'

export function PublishableKeyForm({ onMade }: { onMade: (made: PublishableKey) => void }) {
  const { env: here } = useSession()
  const { me } = useWho()
  const [label, setLabel] = useState('')
  const [agent, setAgent] = useState('')
  const [env, setEnv] = useState<string>(here)
  const [origins, setOrigins] = useState('')
  const [perVisitor, setPerVisitor] = useState(String(usualPace.visitor_per_hour))
  const [perMinute, setPerMinute] = useState(String(usualPace.per_minute))
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const made = await send<PublishableKey>('post', '/v1/publishable-keys', {
      label,
      agent,
      env,
      origins: origins.split(/[\s,]+/).filter((origin) => origin !== ''),
      visitor_per_hour: Number(perVisitor),
      per_minute: Number(perMinute),
    })
    if (made) onMade(made)
  }
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <TextField
        label="Label"
        hint="Where it is used."
        required
        autoFocus
        value={label}
        onChange={setLabel}
      />
      <TextField label="Agent" required value={agent} onChange={setAgent} />
      <Select
        label="Environment"
        value={env}
        onChange={setEnv}
        options={[
          { value: 'sandbox', label: 'Sandbox' },
          { value: 'production', label: 'Production', disabled: me?.production !== true },
        ]}
      />
      <TextField
        label="Origins"
        hint="Of the pages that may use it, such as https://shop.example, separated by spaces."
        required
        value={origins}
        onChange={setOrigins}
      />
      <TextField
        label="Calls per visitor and hour"
        type="number"
        required
        value={perVisitor}
        onChange={setPerVisitor}
      />
      <TextField
        label="Calls per minute in all"
        type="number"
        required
        value={perMinute}
        onChange={setPerMinute}
      />
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Create key
        </Button>
      </div>
    </form>
  )
}
