import type { EndpointWire } from '@switchroom/contract/endpoint-names'
import type { ModelEndpoint } from '@switchroom/contract/model-endpoints'
import { useState, type FormEvent } from 'react'
import { path } from '../api/client.ts'
import { useSend } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Refusal } from '../ui/feedback.tsx'
import { Checkbox, Select, TextField } from '../ui/field.tsx'
import { toast } from '../ui/toast.tsx'

/** A new endpoint, or what changes of one. The gateway tries it before it is kept. */
export function ModelEndpointForm({
  endpoint,
  onDone,
}: {
  endpoint: ModelEndpoint | null
  onDone: () => void
}) {
  const [name, setName] = useState(endpoint?.name ?? '')
  const [baseUrl, setBaseUrl] = useState(endpoint?.base_url ?? '')
  const [model, setModel] = useState(endpoint?.model ?? '')
  const [wire, setWire] = useState<string>(endpoint?.wire ?? ('chat' satisfies EndpointWire))
  const [version, setVersion] = useState(endpoint?.azure_api_version ?? '')
  const [key, setKey] = useState('')
  const [isKeyless, setIsKeyless] = useState(false)
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const secret = isKeyless ? { key: null } : key && { key }
    const azure_api_version = version.trim() || null
    const body = { base_url: baseUrl, model, wire, azure_api_version, ...secret }
    const kept = endpoint
      ? await send<ModelEndpoint>('patch', path`/v1/model-endpoints/${endpoint.name}`, body)
      : await send<ModelEndpoint>('post', '/v1/model-endpoints', { name, ...body })
    if (!kept) return
    toast(`${kept.llm} answered and was saved.`)
    onDone()
  }
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      {endpoint ? null : (
        <TextField
          label="Name"
          hint="Agents use it as custom/name."
          autoFocus
          required
          value={name}
          onChange={setName}
        />
      )}
      <TextField
        label="Base URL"
        hint="Such as https://llm.example.com/v1. For Azure the resource: https://name.openai.azure.com."
        inputMode="url"
        required
        value={baseUrl}
        onChange={setBaseUrl}
      />
      <TextField
        label="Model"
        hint="As the endpoint names it. For Azure the deployment."
        required
        value={model}
        onChange={setModel}
      />
      <Select
        label="API"
        value={wire}
        onChange={setWire}
        options={[
          { value: 'chat', label: 'Chat completions' },
          { value: 'responses', label: 'Responses' },
        ]}
      />
      <TextField
        label="Azure API version"
        hint="Only for Azure OpenAI deployments, such as 2025-04-01-preview."
        value={version}
        onChange={setVersion}
      />
      <TextField
        label="Key"
        type="password"
        autoComplete="off"
        hint={
          endpoint?.keyed
            ? 'Leave empty to keep the key. Enter it again for another host.'
            : 'Leave empty if the endpoint takes none. It is encrypted and never shown again.'
        }
        disabled={isKeyless}
        value={key}
        onChange={setKey}
      />
      {endpoint?.keyed ? (
        <Checkbox label="Ask without a key" checked={isKeyless} onChange={setIsKeyless} />
      ) : null}
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Try and save
        </Button>
      </div>
    </form>
  )
}
