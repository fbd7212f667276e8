import type { ServerToken } from '@switchroom/contract/keys'
import { useState, type FormEvent } from 'react'
import { useSend } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { useWho } from '../who/identity.ts'
import { Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox, Select, TextField } from '../ui/field.tsx'

const scopes = [
  ['app', 'Connect and configure agents'],
  ['calls', 'Read calls'],
  ['talk', 'Start calls and chats'],
  ['knowledge', 'Knowledge'],
  ['evals', 'Evaluations'],
] as const

export function ServerTokenForm({ onMade }: { onMade: (made: ServerToken) => void }) {
  const { env: here } = useSession()
  const { me } = useWho()
  const [label, setLabel] = useState('')
  const [env, setEnv] = useState<string>(here)
  const [opens, setOpens] = useState<string[]>(scopes.map(([scope]) => scope))
  const [until, setUntil] = useState('')
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const expires = until === '' ? {} : { expires_at: new Date(until).toISOString() }
    const made = await send<ServerToken>('post', '/v1/keys', { label, env, scopes: opens, ...expires })
    if (made) onMade(made)
  }
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <TextField
        label="Label"
        hint="Where the token is used."
        required
        autoFocus
        value={label}
        onChange={setLabel}
      />
      <Select
        label="Environment"
        value={env}
        onChange={setEnv}
        options={[
          { value: 'sandbox', label: 'Sandbox' },
          { value: 'production', label: 'Production', disabled: me?.production !== true },
        ]}
      />
      <fieldset className="choices">
        <legend>Scopes</legend>
        {scopes.map(([scope, text]) => (
          <Checkbox
            key={scope}
            label={text}
            checked={opens.includes(scope)}
            onChange={(isOn) => setOpens(isOn ? [...opens, scope] : opens.filter((one) => one !== scope))}
          />
        ))}
      </fieldset>
      <TextField
        label="Expires"
        hint="Leave empty for no expiry."
        type="datetime-local"
        value={until}
        onChange={setUntil}
      />
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Create token
        </Button>
      </div>
    </form>
  )
}
