import type { ConsentFact, NumberConsents } from '@switchroom/contract/consents'
import { useState } from 'react'
import { Link } from 'wouter'
import { useFilters } from '../api/query-filters.ts'
import { useNames } from '../who/names.ts'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { useCan } from '../who/identity.ts'
import { Loaded, Empty, Refusal } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { TextArea, TextField } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { ConsentFields, noConsent } from './consent-fields.tsx'
import { NumberTabs } from './number-tabs.tsx'
import { plainNumber } from './number-labels.ts'

const consentLabels = {
  consented: { tone: 'good', label: 'Consent given' },
  opted_out: { tone: 'bad', label: 'On the do-not-call list' },
  unknown: { tone: 'neutral', label: 'No record' },
} as const

/** Consent records of a number: looked up and added, never changed. */
export function Consent() {
  const [{ number }, setFilter] = useFilters(['number'])
  const [typed, setTyped] = useState(number)
  const consents = useGet<NumberConsents>(number === '' ? null : path`/v1/org/consents/${number}`)
  return (
    <Page title="Consent">
      <NumberTabs current="/numbers/consent" />
      <Section title="Look up a number" hint="Records are never changed; the newest one applies.">
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault()
            setFilter('number', plainNumber(typed))
          }}
        >
          <div className="grow">
            <TextField
              label="Number"
              type="tel"
              value={typed}
              onChange={setTyped}
              placeholder="+15550100100"
            />
          </div>
          <Button type="submit" tone="primary" className="beside-field" disabled={typed.trim() === ''}>
            Look up
          </Button>
        </form>
      </Section>
      {number === '' ? (
        <Empty title="No number selected">
          <p>Look up a number to see and record its consent.</p>
        </Empty>
      ) : (
        <Loaded of={consents} label="Loading records">
          {(read) => <ConsentRecord key={read.number} consents={read} />}
        </Loaded>
      )}
    </Page>
  )
}

function ConsentRecord({ consents: { number, standing, rows } }: { consents: NumberConsents }) {
  const can = useCan()
  const nameOf = useNames()
  const { tone, label } = consentLabels[standing]
  return (
    <>
      <Section title={number}>
        <div>
          <Badge tone={tone}>{label}</Badge>
        </div>
        <Table
          caption={`Consent records of ${number}, newest first`}
          rows={rows}
          rowKey={({ id }) => id}
          columns={[
            { title: 'Record', cell: (fact) => <Fact fact={fact} /> },
            { title: 'Source', cell: ({ source }) => source ?? '–' },
            { title: 'Text', cell: ({ text }) => text ?? '–' },
            { title: 'Recorded by', cell: ({ by }) => nameOf(by) },
            { title: 'When', cell: ({ at }) => <Time epochS={at} /> },
          ]}
          empty={<p className="soft">No records for this number yet.</p>}
        />
      </Section>
      {can('talk') ? <RecordConsent number={number} isListed={standing === 'opted_out'} /> : null}
    </>
  )
}

function Fact({ fact: { fact, kind, call } }: { fact: ConsentFact }) {
  return (
    <>
      {fact === 'consent' ? `${kind === 'written' ? 'Written' : 'Express'} consent` : 'Opt-out'}{' '}
      {call === null ? null : <Link href={`/calls/${encodeURIComponent(call)}`}>View call</Link>}
    </>
  )
}

function RecordConsent({ number, isListed }: { number: string; isListed: boolean }) {
  const recording = useSend()
  const optingOut = useSend()
  const [given, setGiven] = useState(noConsent)
  const [text, setText] = useState('')
  const record = async () => {
    const { kind, source } = given
    const body = { number, kind, source: source.trim(), ...(text.trim() && { text: text.trim() }) }
    if (!(await recording.send('post', '/v1/org/consents', body))) return
    setGiven({ kind, source: '' })
    setText('')
    toast('Consent recorded.')
  }
  const optOut = async () => {
    if (await optingOut.send('delete', path`/v1/org/consents/${number}`))
      toast(`${number} is on the do-not-call list.`)
  }
  return (
    <Section
      title="Add a record"
      hint={isListed ? 'A consent removes the number from the do-not-call list.' : undefined}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void record()
        }}
      >
        <ConsentFields given={given} onChange={setGiven} />
        <TextArea
          label="Text they agreed to"
          value={text}
          onChange={setText}
          maxLength={4000}
          hint="Optional."
        />
        <Refusal error={recording.error ?? optingOut.error} />
        <div className="row">
          <Button type="submit" tone="primary" busy={recording.busy} disabled={given.source.trim() === ''}>
            Record consent
          </Button>
          <Button tone="danger" busy={optingOut.busy} disabled={isListed} onClick={() => void optOut()}>
            Record opt-out
          </Button>
        </div>
      </form>
    </Section>
  )
}
