import type { ExplainedDial } from '@switchroom/contract/dialling'
import type { DialCall, DialledCall } from '@switchroom/contract/placing'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { Loaded, Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox, TextField } from '../ui/field.tsx'
import { toast } from '../ui/toast.tsx'
import { AgentField } from './agent-field.tsx'
import { ConsentFields, noConsent } from './consent-fields.tsx'
import { DialVerdict, Guards } from './explained-dial.tsx'
import { calledIn, plainNumber } from './number-labels.ts'
import './numbers.css'

interface Asked {
  agent: string
  to: string
  from: string
}

interface DialFormProps {
  agent?: string
  to?: string
  /** Agent and number are given and not editable. */
  isFixed?: boolean
}

/** Places a call after a check of every guard. */
export function DialForm({ agent = '', to = '', isFixed = false }: DialFormProps) {
  const [draft, setDraft] = useState<Asked>({ agent, to, from: '' })
  const [asked, setAsked] = useState<Asked | null>(isFixed ? draft : null)
  const [checks, setChecks] = useState(0)
  const change = (changed: Partial<Asked>) => {
    setDraft((before) => ({ ...before, ...changed }))
    if (!isFixed) setAsked(null)
  }
  const isWhole = draft.agent.trim() !== '' && draft.to.trim() !== ''
  return (
    <div className="stack">
      {isFixed ? (
        <p>
          <strong>{agent}</strong> will call <strong>{to}</strong>.
        </p>
      ) : (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault()
            if (!isWhole) return
            setAsked({ ...draft, agent: draft.agent.trim(), to: plainNumber(draft.to) })
            setChecks(checks + 1)
          }}
        >
          <div className="fields">
            <AgentField value={draft.agent} onChange={(value) => change({ agent: value })} />
            <TextField
              label="Call"
              type="tel"
              value={draft.to}
              onChange={(value) => change({ to: value })}
              placeholder="+15550100100"
              hint="A number, or an extension of your PBX, such as 105."
              required
            />
            <TextField
              label="From"
              type="tel"
              value={draft.from}
              onChange={(value) => change({ from: value })}
              hint="Leave empty to use the agent’s first number."
            />
          </div>
          <div className="row">
            <Button type="submit" {...(!asked && { tone: 'primary' })} disabled={!isWhole}>
              {asked ? 'Check again' : 'Check'}
            </Button>
          </div>
        </form>
      )}
      {asked ? <DialCheck key={checks} asked={asked} /> : null}
    </div>
  )
}

const everyMs = 15_000

function DialCheck({ asked: { agent, to, from } }: { asked: Asked }) {
  const query = new URLSearchParams({ ...calledIn(to), ...(from && { from: plainNumber(from) }) })
  const explained = useGet<ExplainedDial>(`${path`/v1/agents/${agent}/dial/explain`}?${query.toString()}`, {
    everyMs,
  })
  const { refetch } = explained
  useEffect(() => {
    void refetch() // an earlier result may be out of date
  }, [refetch])
  return (
    <Loaded of={explained} label="Checking">
      {(dial) => (
        <>
          <Place dial={dial} from={from} />
          <Guards dial={dial} />
        </>
      )}
    </Loaded>
  )
}

/** A consent sent with the call is recorded with it, and passes the consent guard. */
function Place({ dial, from }: { dial: ExplainedDial; from: string }) {
  const [, go] = useLocation()
  const { send, busy, error } = useSend()
  const [agreed, setAgreed] = useState(false)
  const [given, setGiven] = useState(noConsent)
  const refusing = dial.guards.filter(({ verdict }) => verdict === 'refuse')
  const needsConsentAlone = refusing.length > 0 && refusing.every(({ reason }) => reason === 'no_consent')
  const consent = { ...given, source: given.source.trim() }
  const isSent = needsConsentAlone && agreed && consent.source !== ''
  const wouldPass = dial.would === 'pass' || isSent
  const place = async () => {
    const body: DialCall = {
      ...calledIn(dial.to),
      ...(from && { from: plainNumber(from) }),
      ...(isSent && { consent }),
    }
    const answer = await send<DialledCall>('post', path`/v1/agents/${dial.agent}/dial`, body)
    if (!answer) return
    toast(`Calling ${answer.to}`)
    go(`/calls/${encodeURIComponent(answer.call)}`)
  }
  return (
    <div className="stack">
      {error ? <Refusal error={error} /> : <DialVerdict dial={dial} />}
      {needsConsentAlone ? (
        <>
          <Checkbox label="They consented to be called" checked={agreed} onChange={setAgreed} />
          {agreed ? <ConsentFields given={given} onChange={setGiven} /> : null}
        </>
      ) : null}
      <div className="row">
        <Button {...(wouldPass && { tone: 'primary' })} busy={busy} onClick={() => void place()}>
          {wouldPass ? 'Call now' : 'Call anyway'}
        </Button>
      </div>
    </div>
  )
}
