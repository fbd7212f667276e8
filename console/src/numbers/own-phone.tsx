import type { OwnPhone, PhoneCodeSent, PhoneVerified } from '@switchroom/contract/own-phone'
import { useState } from 'react'
import { useGet, useSend } from '../api/queries.ts'
import { Answered, Refusal } from '../ui/answers.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'
import { plainNumber } from './number-labels.ts'

/** A phone that somebody proved to be theirs is rung without consent and at any hour. */
export function OwnPhoneSection() {
  const phone = useGet<OwnPhone>('/v1/line/from')
  return (
    <Section
      title="Your own phone"
      hint="Proven to be yours, it is free of the do-not-call list, consent, hours and the count per number."
    >
      <Answered of={phone} label="Reading your phone">
        {({ number, verified }) =>
          number !== null && verified ? <Proven number={number} /> : <Proving number={number} />
        }
      </Answered>
    </Section>
  )
}

function Proven({ number }: { number: string }) {
  const { send, busy, error } = useSend()
  const forget = async () => {
    if (await send('delete', '/v1/line/from')) toast(`${number} is no longer yours`)
  }
  return (
    <div className="row">
      <strong>{number}</strong>
      <Badge tone="good">proven</Badge>
      <Button busy={busy} onClick={() => void forget()}>
        Forget it
      </Button>
      <Refusal error={error} />
    </div>
  )
}

/** First the number alone, then with the code that was sent to it. */
function Proving({ number: waiting }: { number: string | null }) {
  const { send, busy, error } = useSend()
  const [typed, setTyped] = useState(waiting ?? '')
  const [code, setCode] = useState('')
  const isSent = waiting !== null
  const ask = async () => {
    await send<PhoneCodeSent>('put', '/v1/line/from', { number: plainNumber(typed) })
  }
  const prove = async () => {
    const body = { number: waiting, code: code.trim() }
    if (await send<PhoneVerified>('put', '/v1/line/from', body)) toast(`${waiting ?? ''} is yours`)
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void (isSent && code.trim() !== '' ? prove() : ask())
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
            hint={`The six digits that were sent to ${waiting}.`}
          />
        ) : null}
      </div>
      <Refusal error={error} />
      <div className="row">
        {isSent ? (
          <Button type="submit" tone="primary" busy={busy} disabled={code.trim() === ''}>
            It is mine
          </Button>
        ) : null}
        <Button busy={busy} disabled={typed.trim() === ''} onClick={() => void ask()}>
          {isSent ? 'Send another code' : 'Send me a code'}
        </Button>
      </div>
    </form>
  )
}
