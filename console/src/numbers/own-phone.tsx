import type { OwnPhone, PhoneCodeSent, PhoneVerified } from '@switchroom/contract/own-phone'
import { useState } from 'react'
import { useGet, useSend } from '../api/queries.ts'
import { Loaded, Refusal } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'
import { plainNumber } from './number-labels.ts'

/** A verified phone of the signed-in person is called without consent and at any hour. */
export function OwnPhoneSection() {
  const phone = useGet<OwnPhone>('/v1/line/from')
  return (
    <Section
      title="Your phone"
      hint="A verified phone is exempt from the do-not-call list, consent, calling hours and the limit per number."
    >
      <Loaded of={phone} label="Loading">
        {({ number, verified }) =>
          number !== null && verified ? <VerifiedPhone number={number} /> : <VerifyPhone number={number} />
        }
      </Loaded>
    </Section>
  )
}

function VerifiedPhone({ number }: { number: string }) {
  const { send, busy, error } = useSend()
  const remove = async () => {
    if (await send('delete', '/v1/line/from')) toast(`${number} removed.`)
  }
  return (
    <div className="row">
      <strong>{number}</strong>
      <Badge tone="good">Verified</Badge>
      <Button busy={busy} onClick={() => void remove()}>
        Remove
      </Button>
      <Refusal error={error} />
    </div>
  )
}

/** Sends the number first, then the number with the code sent to it. */
function VerifyPhone({ number: waiting }: { number: string | null }) {
  const { send, busy, error } = useSend()
  const [typed, setTyped] = useState(waiting ?? '')
  const [code, setCode] = useState('')
  const isSent = waiting !== null
  const ask = async () => {
    await send<PhoneCodeSent>('put', '/v1/line/from', { number: plainNumber(typed) })
  }
  const verify = async () => {
    const body = { number: waiting, code: code.trim() }
    if (await send<PhoneVerified>('put', '/v1/line/from', body)) toast(`${waiting ?? ''} verified.`)
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void (isSent && code.trim() !== '' ? verify() : ask())
      }}
    >
      <div className="fields">
        <TextField
          label="Your number"
          type="tel"
          value={typed}
          onChange={setTyped}
          placeholder="+15550100100"
          autoComplete="tel"
        />
        {isSent ? (
          <TextField
            label="Code"
            value={code}
            onChange={setCode}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            hint={`The six-digit code sent to ${waiting}.`}
          />
        ) : null}
      </div>
      <Refusal error={error} />
      <div className="row">
        {isSent ? (
          <Button type="submit" tone="primary" busy={busy} disabled={code.trim() === ''}>
            Verify
          </Button>
        ) : null}
        <Button busy={busy} disabled={typed.trim() === ''} onClick={() => void ask()}>
          {isSent ? 'Resend code' : 'Send code'}
        </Button>
      </div>
    </form>
  )
}
