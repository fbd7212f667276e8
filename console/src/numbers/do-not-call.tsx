import type { DoNotCallPage, ImportedDoNotCall } from '@switchroom/contract/consents'
import { useState } from 'react'
import { Link } from 'wouter'
import { usePages } from '../api/pages.ts'
import { useNames } from '../who/names.ts'
import { useSend } from '../api/queries.ts'
import { useCan } from '../who/identity.ts'
import { Empty, Refusal } from '../ui/answers.tsx'
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
      {can('talk') ? <PutOnList /> : null}
      <Section
        title="The list"
        hint="Nobody on it is dialled in production. Only a consent that is written down takes a number off."
      >
        <PagedTable
          pages={pages}
          label="Reading the list"
          caption="The do-not-call list, newest first"
          rowKey={pageOptions.keyOf}
          columns={[
            {
              title: 'Number',
              cell: ({ number }) => (
                <Link href={`/numbers/consent?number=${encodeURIComponent(number)}`}>{number}</Link>
              ),
            },
            { title: 'From', cell: ({ source }) => source ?? 'Said so' },
            { title: 'By', cell: ({ by }) => nameOf(by) },
            { title: 'Since', cell: ({ at }) => <Time epochS={at} /> },
          ]}
          empty={
            <Empty title="The list is empty">
              <p>Whoever says that they want no calls is put on it by the agent, or by you above.</p>
            </Empty>
          }
        />
      </Section>
    </Page>
  )
}

function PutOnList() {
  const { send, busy, error } = useSend()
  const [text, setText] = useState('')
  const [source, setSource] = useState('')
  const [done, setDone] = useState<ImportedDoNotCall | null>(null)
  const numbers = linesOf(text).map(plainNumber)
  const put = async () => {
    const answer = await send<ImportedDoNotCall>('post', '/v1/org/dnc', { numbers, source: source.trim() })
    setDone(answer)
    if (answer) setText(answer.refused.join('\n'))
  }
  return (
    <Section
      title="Put numbers on the list"
      hint="Your own list, or what you found in a national registry: up to 10,000 at once."
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void put()
        }}
      >
        <TextArea
          label="Numbers"
          value={text}
          onChange={setText}
          hint="In international form, one a line."
          placeholder="+15550100100"
          spellCheck={false}
        />
        <TextField
          label="Where they come from"
          value={source}
          onChange={setSource}
          maxLength={500}
          placeholder="National registry, March"
        />
        <Refusal error={error} />
        {done ? (
          <p role="status">
            {done.added} put on the list.{' '}
            {done.refused.length > 0
              ? `${done.refused.length} are no numbers in international form, and stand above.`
              : ''}
          </p>
        ) : null}
        <div className="row">
          <Button type="submit" busy={busy} disabled={numbers.length === 0 || source.trim() === ''}>
            Put on the list
          </Button>
        </div>
      </form>
    </Section>
  )
}
