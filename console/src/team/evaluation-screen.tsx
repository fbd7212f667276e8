import type { Judging } from '@switchroom/contract/settings'
import { useState, type FormEvent } from 'react'
import { useGet, useSend } from '../api/queries.ts'
import { useCan } from '../who/identity.ts'
import { Answered, Refusal } from '../ui/answers.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'

export default function JudgingScreen() {
  const judging = useGet<Judging>('/v1/org/judging')
  return (
    <Page title="Judging">
      <Answered of={judging}>{(standing) => <Choice key={standing.judge} standing={standing} />}</Answered>
    </Page>
  )
}

function Choice({ standing }: { standing: Judging }) {
  const [judge, setJudge] = useState(standing.judge ?? '')
  const { send, busy, error } = useSend()
  const can = useCan()
  const save = async (wanted: string | null) => {
    if (await send('put', '/v1/org/judging', { judge: wanted }))
      toast(wanted === null ? 'The platform’s choice judges your calls.' : `${wanted} judges your calls.`)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save(judge.trim() || null)
  }
  return (
    <Section
      title="The model your calls are judged on"
      hint={
        standing.judge === null
          ? 'None is chosen: the platform’s choice judges, where it made one.'
          : `It is ${standing.judge}. An agent’s own choice, under its settings, goes before it.`
      }
    >
      <form className="stack" onSubmit={submit}>
        <TextField
          label="Model"
          hint="vendor/model, as for an agent’s model."
          value={judge}
          onChange={setJudge}
          disabled={!can('pipeline')}
        />
        <Refusal error={error} />
        {can('pipeline') ? (
          <div className="row">
            <Button tone="primary" type="submit" busy={busy}>
              Save
            </Button>
            {standing.judge === null ? null : (
              <Button busy={busy} onClick={() => void save(null)}>
                Clear the choice
              </Button>
            )}
          </div>
        ) : null}
      </form>
    </Section>
  )
}
