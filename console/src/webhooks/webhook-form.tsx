import { webhookEventSummaries, webhookEventTypes } from '@switchroom/contract/webhook-names'
import type { CreatedWebhook, Webhook } from '@switchroom/contract/webhooks'
import { useState, type FormEvent } from 'react'
import { path } from '../api/client.ts'
import { useSend } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Refusal } from '../ui/feedback.tsx'
import { Checkbox, TextField } from '../ui/field.tsx'

interface WebhookFormProps {
  webhook: Webhook | null
  /** With the secret of a new one. */
  onDone: (secret: string | null) => void
}

/** A new webhook, or what changes of one. */
export function WebhookForm({ webhook, onDone }: WebhookFormProps) {
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [description, setDescription] = useState(webhook?.description ?? '')
  const [isAll, setIsAll] = useState((webhook?.types ?? null) === null)
  const [types, setTypes] = useState<readonly string[]>(webhook?.types ?? webhookEventTypes)
  const [agents, setAgents] = useState(webhook?.agents?.join(', ') ?? '')
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const named = agents.split(',').flatMap((agent) => agent.trim() || [])
    const body = { url, description, types: isAll ? null : types, agents: named.length > 0 ? named : null }
    if (webhook) {
      if (await send('patch', path`/v1/webhooks/${webhook.id}`, body)) onDone(null)
      return
    }
    const made = await send<CreatedWebhook>('post', '/v1/webhooks', body)
    if (made) onDone(made.secret)
  }
  const choose = (type: string, isChosen: boolean) =>
    setTypes(isChosen ? [...types, type] : types.filter((each) => each !== type))
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <TextField
        label="URL"
        hint="Events are posted here. Public, over https."
        inputMode="url"
        autoFocus
        required
        value={url}
        onChange={setUrl}
      />
      <TextField label="Description" value={description} onChange={setDescription} />
      <TextField
        label="Agents"
        hint="Separated by commas. Leave empty for all agents."
        value={agents}
        onChange={setAgents}
      />
      <Checkbox label="Every event" checked={isAll} onChange={setIsAll} />
      {isAll ? null : (
        <fieldset className="stack">
          <legend>Events</legend>
          {webhookEventTypes.map((type) => (
            <Checkbox
              key={type}
              label={type}
              hint={webhookEventSummaries[type]}
              checked={types.includes(type)}
              onChange={(isChosen) => choose(type, isChosen)}
            />
          ))}
        </fieldset>
      )}
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          {webhook ? 'Save' : 'Create webhook'}
        </Button>
      </div>
    </form>
  )
}
