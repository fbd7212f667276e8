import type { ConsentFact, NumberConsents } from '@switchroom/contract/consents'
import { useState } from 'react'
import { Link } from 'wouter'
import { useFilters } from '../api/query-filters.ts'
import { useNames } from '../who/names.ts'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { useCan } from '../who/identity.ts'
import { Answered, Empty, Refusal } from '../ui/answers.tsx'
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

const standings = {
  consented: { tone: 'good', says: 'Agreed to be called' },
  opted_out: { tone: 'bad', says: 'On the do-not-call list' },
  unknown: { tone: 'neutral', says: 'Nothing is on file' },
} as const

/** What was said of calling a number: looked up, written down, never changed. */
export function Consent() {
  const [{ number }, setFilter] = useFilters(['number'])
  const [typed, setTyped] = useState(number)
  const consents = useGet<NumberConsents>(number === '' ? null : path`/v1/org/consents/${number}`)
  return (
    <Page title="Consent">
      <NumberTabs current="/numbers/consent" />
      <Section
        title="Look a number up"
        hint="Facts are written down and never changed; the newest one stands."
      >
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
        <Empty title="Whose consent?">
          <p>Look a number up to see what they agreed to, and to write down what they said.</p>
        </Empty>
      ) : (
        <Answered of={consents} label="Reading what was said">
          {(read) => <Standing key={read.number} consents={read} />}
        </Answered>
      )}
    </Page>
  )
}

function Standing({ consents: { number, standing, rows } }: { consents: NumberConsents }) {
  const can = useCan()
  const nameOf = useNames()
  const { tone, says } = standings[standing]
  return (
    <>
      <Section title={number}>
        <div>
          <Badge tone={tone}>{says}</Badge>
        </div>
        <Table
          caption={`What was said of calling ${number}, newest first`}
          rows={rows}
          rowKey={({ id }) => id}
          columns={[
            { title: 'Fact', cell: (fact) => <Fact fact={fact} /> },
            { title: 'Where', cell: ({ source }) => source ?? '–' },
            { title: 'Words', cell: ({ text }) => text ?? '–' },
            { title: 'Written down by', cell: ({ by }) => nameOf(by) },
            { title: 'When', cell: ({ at }) => <Time epochS={at} /> },
          ]}
          empty={<p className="soft">Nobody wrote anything down about this number yet.</p>}
        />
      </Section>
      {can('talk') ? <Record number={number} isListed={standing === 'opted_out'} /> : null}
    </>
  )
}

function Fact({ fact: { fact, kind, call } }: { fact: ConsentFact }) {
  return (
    <>
      {fact === 'consent' ? `Agreed, ${kind === 'written' ? 'in writing' : 'expressly'}` : 'Wants no calls'}{' '}
      {call === null ? null : <Link href={`/calls/${encodeURIComponent(call)}`}>The call</Link>}
    </>
  )
}

function Record({ number, isListed }: { number: string; isListed: boolean }) {
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
    toast('The consent is written down')
  }
  const optOut = async () => {
    if (await optingOut.send('delete', path`/v1/org/consents/${number}`))
      toast(`${number} is on the do-not-call list`)
  }
  return (
    <Section
      title="Write it down"
      hint={isListed ? 'A consent takes the number off the do-not-call list.' : undefined}
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
          label="The words they agreed to"
          value={text}
          onChange={setText}
          maxLength={4000}
          hint="May be left empty."
        />
        <Refusal error={recording.error ?? optingOut.error} />
        <div className="row">
          <Button type="submit" tone="primary" busy={recording.busy} disabled={given.source.trim() === ''}>
            They agreed
          </Button>
          <Button tone="danger" busy={optingOut.busy} disabled={isListed} onClick={() => void optOut()}>
            They want no calls
          </Button>
        </div>
      </form>
    </Section>
  )
}
