import type { DoNotCallPage, ImportedDoNotCall } from '@switchroom/contract/consents'
import { useState } from 'react'
import { Link } from 'wouter'
import { usePages } from '../api/pages.ts'
import { useNames } from '../who/names.ts'
import { useSend } from '../api/queries.ts'
import { useCan } from '../who/identity.ts'
import { Empty, Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { TextArea, TextField } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { PagedTable } from '../ui/paged-table.tsx'
import { Time } from '../ui/time.tsx'
import { NumberTabs } from './number-tabs.tsx'
import { linesOf, plainNumber } from './number-labels.ts'

type Listed = DoNotCallPage['numbers'][number]

const pageOptions = {
  itemsOf: ({ numbers }: DoNotCallPage) => numbers,
  keyOf: ({ number }: Listed) => number,
}

export function DoNotCall() {
  const can = useCan()
  const nameOf = useNames()
  const pages = usePages<DoNotCallPage, Listed>('/v1/org/dnc', pageOptions)
  return (
    <Page title="Do not call">
      <NumberTabs current="/numbers/do-not-call" />
      {can('talk') ? <AddNumbers /> : null}
      <Section
        title="Do-not-call list"
        hint="These numbers are not dialed in production. Only a recorded consent removes a number."
      >
        <PagedTable
          pages={pages}
          label="Loading list"
          caption="Do-not-call list, newest first"
          rowKey={pageOptions.keyOf}
          columns={[
            {
              title: 'Number',
              cell: ({ number }) => (
                <Link href={`/numbers/consent?number=${encodeURIComponent(number)}`}>{number}</Link>
              ),
            },
            { title: 'Source', cell: ({ source }) => source ?? 'Opt-out' },
            { title: 'By', cell: ({ by }) => nameOf(by) },
            { title: 'Since', cell: ({ at }) => <Time epochS={at} /> },
          ]}
          empty={
            <Empty title="The list is empty">
              <p>The agent adds callers who opt out. You can add numbers above.</p>
            </Empty>
          }
        />
      </Section>
    </Page>
  )
}

function AddNumbers() {
  const { send, busy, error } = useSend()
  const [text, setText] = useState('')
  const [source, setSource] = useState('')
  const [done, setDone] = useState<ImportedDoNotCall | null>(null)
  const numbers = linesOf(text).map(plainNumber)
  const add = async () => {
    const answer = await send<ImportedDoNotCall>('post', '/v1/org/dnc', { numbers, source: source.trim() })
    setDone(answer)
    if (answer) setText(answer.refused.join('\n'))
  }
  return (
    <Section title="Add numbers" hint="From your own list or a national registry, up to 10,000 at once.">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void add()
        }}
      >
        <TextArea
          label="Numbers"
          value={text}
          onChange={setText}
          hint="In international format, one per line."
          placeholder="+15550100100"
          spellCheck={false}
        />
        <TextField
          label="Source"
          value={source}
          onChange={setSource}
          maxLength={500}
          placeholder="National registry, March"
        />
        <Refusal error={error} />
        {done ? (
          <p role="status">
            {done.added} added.{' '}
            {done.refused.length > 0
              ? `${done.refused.length} not in international format: correct them above.`
              : ''}
          </p>
        ) : null}
        <div className="row">
          <Button type="submit" busy={busy} disabled={numbers.length === 0 || source.trim() === ''}>
            Add to list
          </Button>
        </div>
      </form>
    </Section>
  )
}
