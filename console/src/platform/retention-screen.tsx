import type { RetentionRun } from '@switchroom/contract/retention'
import { useState } from 'react'
import { useSend } from '../api/queries.ts'
import { Refusal } from '../ui/feedback.tsx'
import { Page, Section } from '../ui/page.tsx'
import { ConfirmButton } from '../ui/confirm-button.tsx'

export function RetentionScreen() {
  const [run, setRun] = useState<RetentionRun | null>(null)
  const { send, busy, error } = useSend()
  return (
    <Page title="Retention">
      <Section
        title="Purge now"
        hint="Expired data is purged every night. This purges it now and cannot be undone."
      >
        <Refusal error={error} />
        {run ? (
          <p role="status">
            Purged: {run.entries} log entries, {run.calls} calls, {run.dials} dials, {run.keys} revoked keys,{' '}
            {run.claims} message claims, {run.audit} audit log entries.
          </p>
        ) : null}
        <div className="row">
          <ConfirmButton
            busy={busy}
            confirmLabel="Yes, purge now"
            onConfirm={() => void send<RetentionRun>('post', '/v1/ops/retention').then(setRun)}
          >
            Purge expired data
          </ConfirmButton>
        </div>
      </Section>
    </Page>
  )
}
