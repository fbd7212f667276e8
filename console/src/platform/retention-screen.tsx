import type { RetentionRun } from '@switchroom/contract/retention'
import { useState } from 'react'
import { useSend } from '../api/queries.ts'
import { Refusal } from '../ui/answers.tsx'
import { Page, Section } from '../ui/page.tsx'
import { SureButton } from '../ui/confirm-button.tsx'

export function RetentionScreen() {
  const [run, setRun] = useState<RetentionRun | null>(null)
  const { send, busy, error } = useSend()
  return (
    <Page title="Retention">
      <Section
        title="Forget now"
        hint="What is kept for some time only is forgotten every night. This does it at once; it cannot be taken back."
      >
        <Refusal error={error} />
        {run ? (
          <p role="status">
            {run.entries} entries of old logs, {run.claims} claims of messages and {run.audit} entries of the
            audit log are forgotten.
          </p>
        ) : null}
        <div className="row">
          <SureButton
            busy={busy}
            sure="Yes, forget it now"
            onSure={() => void send<RetentionRun>('post', '/v1/ops/retention').then(setRun)}
          >
            Forget what is old
          </SureButton>
        </div>
      </Section>
    </Page>
  )
}
