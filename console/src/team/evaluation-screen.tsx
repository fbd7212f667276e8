import type { Judging } from '@switchroom/contract/settings'
import { useState, type FormEvent } from 'react'
import { useGet, useSend } from '../api/queries.ts'
import { useCan } from '../who/identity.ts'
import { Loaded, Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'

export default function EvaluationScreen() {
  const judging = useGet<Judging>('/v1/org/judging')
  return (
    <Page title="Evaluation">
      <Loaded of={judging}>{(current) => <Choice key={current.judge} current={current} />}</Loaded>
    </Page>
  )
}

function Choice({ current }: { current: Judging }) {
  const [judge, setJudge] = useState(current.judge ?? '')
  const { send, busy, error } = useSend()
  const can = useCan()
  const save = async (wanted: string | null) => {
    if (await send('put', '/v1/org/judging', { judge: wanted }))
      toast(
        wanted === null ? 'The platform’s model evaluates your calls.' : `${wanted} evaluates your calls.`,
      )
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save(judge.trim() || null)
  }
  return (
    <Section
      title="Evaluation model"
      hint={
        current.judge === null
          ? 'Default: the platform’s model.'
          : `Current model: ${current.judge}. The settings of an agent take precedence.`
      }
    >
      <form className="stack" onSubmit={submit}>
        <TextField
          label="Model"
          hint="vendor/model"
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
            {current.judge === null ? null : (
              <Button busy={busy} onClick={() => void save(null)}>
                Use the default
              </Button>
            )}
          </div>
        ) : null}
      </form>
    </Section>
  )
}
