import type { CarrierAccount } from '@switchroom/contract/carriers'
import type { TestedTrunk, TrunkTestStep } from '@switchroom/contract/trunk-tests'
import { useState } from 'react'
import { screenSentence } from '../api/screen-sentences.ts'
import { useSend } from '../api/queries.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Refusal } from '../ui/feedback.tsx'
import { TextField } from '../ui/field.tsx'
import { plainNumber } from './number-labels.ts'

const names: Record<TrunkTestStep['step'], string> = {
  location: 'Location',
  connection: 'Connection',
  options: 'Answer to OPTIONS',
  registration: 'Registration',
  guards: 'Dial checks',
  call: 'Call',
  sound: 'Sound',
  hangup: 'Hang-up',
}

const states = {
  ok: { tone: 'good', label: 'Works' },
  failed: { tone: 'bad', label: 'Failed' },
  skipped: { tone: 'neutral', label: 'Skipped' },
} as const

/** Tests the trunk of an account, with a real call if a number is given. */
export function TrunkTestDialog({
  account,
  onClose,
}: {
  account: CarrierAccount | null
  onClose: () => void
}) {
  return (
    <Dialog
      title={`Test ${account?.label || account?.account || ''}`}
      open={account !== null}
      onClose={onClose}
    >
      {account === null ? null : <TrunkTest key={account.account} account={account.account} />}
    </Dialog>
  )
}

function TrunkTest({ account }: { account: string }) {
  const { send, busy, error } = useSend()
  const [to, setTo] = useState('')
  const [tested, setTested] = useState<TestedTrunk | null>(null)
  const run = async () => {
    setTested(null)
    const query = new URLSearchParams({ account })
    const call = plainNumber(to)
    const body = call === '' ? {} : { call }
    setTested(await send<TestedTrunk>('post', `/v1/carrier/test?${query.toString()}`, body))
  }
  return (
    <>
      <p>A worker looks up the host, connects to it and asks whether it is there.</p>
      <TextField
        label="Number to call"
        hint="Optional. A real call, which counts as a dial. One of your own numbers echoes while the test runs."
        value={to}
        onChange={setTo}
        inputMode="tel"
      />
      <Refusal error={error} />
      {tested === null ? null : <Tested tested={tested} />}
      <div className="row end">
        <Button tone="primary" busy={busy} onClick={() => void run()}>
          Test trunk
        </Button>
      </div>
    </>
  )
}

function Tested({ tested: { ok, host, steps } }: { tested: TestedTrunk }) {
  return (
    <>
      <p role="status">{ok ? `The trunk works at ${host}.` : `The trunk at ${host} does not work.`}</p>
      <ol className="path" aria-label="Steps of the test">
        {steps.map((step) => (
          <li key={step.step} className="path-step">
            <h3>
              <Badge tone={states[step.state].tone}>{states[step.state].label}</Badge> {names[step.step]}
            </h3>
            <p className="wrap-anywhere">
              {screenSentence(step.says)}
              {step.state === 'skipped' ? null : ` (${step.took_ms} ms)`}
            </p>
            {step.fix === null ? null : (
              <p className="path-fix wrap-anywhere">
                <strong>To do:</strong> {screenSentence(step.fix)}
              </p>
            )}
          </li>
        ))}
      </ol>
    </>
  )
}
