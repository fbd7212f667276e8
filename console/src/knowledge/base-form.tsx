import type { AgentList } from '@switchroom/contract/apps'
import type { Base } from '@switchroom/contract/knowledge'
import { useState, type FormEvent } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Refusal } from '../ui/feedback.tsx'
import { Checkbox, TextField } from '../ui/field.tsx'

interface BaseFormProps {
  base: Base | null
  onDone: (base: Base) => void
}

/** A new base, or what changes of one. */
export function BaseForm({ base, onDone }: BaseFormProps) {
  const [name, setName] = useState('')
  const [description, setDescription] = useState(base?.description ?? '')
  const [language, setLanguage] = useState(base?.language ?? '')
  const [embed, setEmbed] = useState(base?.embed ?? '')
  const [isForAll, setForAll] = useState((base?.agents ?? null) === null)
  const [agents, setAgents] = useState<readonly string[]>(base?.agents ?? [])
  const { data } = useGet<AgentList>('/v1/agents')
  const { send, busy, error } = useSend()
  const known = [...new Set([...(data?.agents ?? []).map(({ agent }) => agent), ...agents])].toSorted()
  const isReadAnew = base !== null && (language !== (base.language ?? '') || embed !== (base.embed ?? ''))
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const fields = {
      description,
      language: language.trim() || null,
      embed: embed.trim() || null,
      agents: isForAll ? null : [...agents],
    }
    const done = base
      ? await send<Base>('patch', path`/v1/bases/${base.base}`, fields)
      : await send<Base>('post', '/v1/bases', { base: name.trim(), ...fields })
    if (done) onDone(done)
  }
  const choose = (agent: string, isChosen: boolean) =>
    setAgents(isChosen ? [...agents, agent] : agents.filter((each) => each !== agent))
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      {base ? null : (
        <TextField
          label="Name"
          hint="Lower-case letters, digits, - and _. Agents name it, so it does not change later."
          autoFocus
          required
          maxLength={60}
          value={name}
          onChange={setName}
        />
      )}
      <TextField
        label="Description"
        hint="The model reads it when it decides whether to search."
        maxLength={500}
        value={description}
        onChange={setDescription}
      />
      <TextField
        label="Language"
        hint="A tag such as en or de. Empty: found in each document."
        value={language}
        onChange={setLanguage}
      />
      <TextField
        label="Embeddings"
        hint="vendor/model, such as openai/text-embedding-3-small. Empty: full text alone."
        value={embed}
        onChange={setEmbed}
      />
      {isReadAnew ? <p className="soft">All its documents are read again.</p> : null}
      <Checkbox label="Every agent may search it" checked={isForAll} onChange={setForAll} />
      {isForAll ? null : (
        <fieldset className="choices">
          <legend>Agents that may search it</legend>
          {known.map((agent) => (
            <Checkbox
              key={agent}
              label={agent}
              checked={agents.includes(agent)}
              onChange={(isChosen) => choose(agent, isChosen)}
            />
          ))}
        </fieldset>
      )}
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          {base ? 'Save' : 'Create base'}
        </Button>
      </div>
    </form>
  )
}
