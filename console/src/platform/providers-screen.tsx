import type { ProviderRow } from '@switchroom/contract/providers'
import { useState, type FormEvent } from 'react'
import { useGet, useSend } from '../api/queries.ts'
import { Loaded, Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { TextArea, TextField } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'

export function ProvidersScreen() {
  const row = useGet<ProviderRow>('/v1/ops/providers')
  return (
    <Page title="Providers">
      <Loaded of={row}>{(current) => <RowForm key={JSON.stringify(current)} current={current} />}</Loaded>
    </Page>
  )
}

/** The row is replaced as a whole: fields without a control are edited as JSON. */
function RowForm({ current }: { current: ProviderRow }) {
  const { defaults, fallbacks, judge, ...others } = current
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
      return setWrong('Invalid JSON. Nothing was saved.')
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
    if (await send('put', '/v1/ops/providers', body)) toast('Saved. The next call uses it.')
  }
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <Section title="Defaults" hint="Used by agents without their own setting.">
        {(['llm', 'stt', 'tts'] as const).map((stage) => (
          <div key={stage} className="fields">
            <TextField
              label={stageNames[stage]}
              required
              value={first[stage]}
              onChange={(value) => setFirst({ ...first, [stage]: value })}
            />
            <TextField
              label={`${stageNames[stage]}: fallbacks`}
              hint="In order, separated by commas."
              value={then[stage]}
              onChange={(value) => setThen({ ...then, [stage]: value })}
            />
          </div>
        ))}
        <TextField
          label="Evaluation model"
          hint="vendor/model. Leave empty for none."
          value={judged}
          onChange={setJudged}
        />
      </Section>
      <Section title="Models, voices, options and restrictions" hint="The API reference explains the fields.">
        <TextArea
          label="Raw JSON"
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
          Save
        </Button>
      </div>
    </form>
  )
}

const stageNames = { llm: 'Model', stt: 'Speech-to-text', tts: 'Text-to-speech' }
