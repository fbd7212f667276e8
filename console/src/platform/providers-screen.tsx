import type { ProviderRow } from '@switchroom/contract/providers'
import { useState, type FormEvent } from 'react'
import { useGet, useSend } from '../api/queries.ts'
import { Answered, Refusal } from '../ui/answers.tsx'
import { Button } from '../ui/button.tsx'
import { TextArea, TextField } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'

export function ProvidersScreen() {
  const row = useGet<ProviderRow>('/v1/ops/providers')
  return (
    <Page title="Providers">
      <Answered of={row}>
        {(standing) => <RowForm key={JSON.stringify(standing)} standing={standing} />}
      </Answered>
    </Page>
  )
}

/** The row is replaced whole: what has no field of its own is kept in the text below. */
function RowForm({ standing }: { standing: ProviderRow }) {
  const { defaults, fallbacks, judge, ...others } = standing
  const [first, setFirst] = useState(defaults)
  const [then, setThen] = useState({
    llm: fallbacks.llm.join(', '),
    stt: fallbacks.stt.join(', '),
    tts: fallbacks.tts.join(', '),
  })
  const [judged, setJudged] = useState(judge ?? '')
  const [rest, setRest] = useState(JSON.stringify(others, null, 2))
  const [wrong, setWrong] = useState<string | null>(null)
  const { send, busy, error } = useSend()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    let parsed: object
    try {
      parsed = JSON.parse(rest)
      setWrong(null)
    } catch {
      return setWrong('This is no JSON: nothing was saved.')
    }
    const listed = (text: string) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean)
    const body = {
      ...parsed,
      defaults: first,
      fallbacks: { llm: listed(then.llm), stt: listed(then.stt), tts: listed(then.tts) },
      judge: judged || null,
    }
    if (await send('put', '/v1/ops/providers', body)) toast('The row is kept: the next call reads it.')
  }
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <Section title="What calls run on" hint="Unless an agent is set otherwise.">
        {(['llm', 'stt', 'tts'] as const).map((stage) => (
          <div key={stage} className="fields">
            <TextField
              label={stageNames[stage]}
              required
              value={first[stage]}
              onChange={(value) => setFirst({ ...first, [stage]: value })}
            />
            <TextField
              label={`When ${stageNames[stage].toLowerCase()} fails`}
              hint="In this order, with commas."
              value={then[stage]}
              onChange={(value) => setThen({ ...then, [stage]: value })}
            />
          </div>
        ))}
        <TextField label="Judge" hint="vendor/model; empty for none." value={judged} onChange={setJudged} />
      </Section>
      <Section
        title="Models, voices, options and what is withheld"
        hint="As JSON, by the names of the reference."
      >
        <TextArea
          label="The rest of the row"
          rows={18}
          spellCheck={false}
          error={wrong}
          value={rest}
          onChange={setRest}
        />
      </Section>
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Save the row
        </Button>
      </div>
    </form>
  )
}

const stageNames = { llm: 'Model', stt: 'Ears', tts: 'Voice' }
