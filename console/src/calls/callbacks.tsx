import type { CallbackPage } from '@switchroom/contract/callbacks'
import type { Entry } from '@switchroom/contract/log'
import { useState } from 'react'
import { Link } from 'wouter'
import { DialForm } from '../numbers/dial-form.tsx'
import { useCan, useOwnAgents } from '../who/identity.ts'
import { Empty } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Page } from '../ui/page.tsx'
import { PagedTable } from '../ui/paged-table.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { Time } from '../ui/time.tsx'
import { AgentFilter } from './agent-filter.tsx'
import { callTabs } from './calls-list.tsx'
import { textIn } from './conversation.ts'
import { usePages } from '../api/pages.ts'
import { withQuery, useFilters } from '../api/query-filters.ts'

const pageOptions = {
  itemsOf: ({ callbacks }: CallbackPage) => callbacks,
  keyOf: ({ agent, seq }: Entry) => `${agent} ${seq}`,
  everyMs: 30_000,
  growsAtEnd: true,
}

/** Requested callbacks. They are not dialed automatically, and none is marked as done. */
export function Callbacks() {
  const [asked, setFilter] = useFilters(['agent'])
  const [firstOwn = ''] = useOwnAgents() ?? []
  const agent = asked.agent || firstOwn
  const pages = usePages<CallbackPage, Entry>(withQuery('/v1/callbacks', { agent }), pageOptions)
  const [chosen, setChosen] = useState<Entry | null>(null)
  const can = useCan()
  const callBack = (entry: Entry) => (
    <Button onClick={() => setChosen(entry)} aria-label={`Call back ${textIn(entry.data['number'])}`}>
      Call back
    </Button>
  )
  return (
    <Page title="Calls">
      <Tabs label="Calls" tabs={callTabs} current="/calls/callbacks" />
      <div className="fields calls-filters">
        <AgentFilter value={agent} onChange={(value) => setFilter('agent', value)} />
      </div>
      <PagedTable
        pages={pages}
        label="Loading callbacks"
        caption="Callbacks, oldest first"
        rowKey={pageOptions.keyOf}
        columns={[
          { title: 'Number', cell: ({ data }) => textIn(data['number']) || 'Unknown' },
          { title: 'Request', cell: (entry) => <CallbackRequest entry={entry} /> },
          { title: 'Agent', cell: ({ agent: whose }) => whose },
          { title: 'Requested', cell: ({ ts }) => <Time epochS={ts} /> },
          { title: '', cell: (entry) => (can('talk') ? callBack(entry) : null) },
        ]}
        empty={
          <Empty title="No callbacks">
            <p>Callers who ask to be called back, or who find all lines busy, are listed here.</p>
          </Empty>
        }
      />
      <Dialog title="Call back" open={chosen !== null} onClose={() => setChosen(null)}>
        {chosen ? <DialForm agent={chosen.agent} to={textIn(chosen.data['number'])} isFixed /> : null}
      </Dialog>
    </Page>
  )
}

function CallbackRequest({ entry: { call, data } }: { entry: Entry }) {
  const said = [textIn(data['when']), textIn(data['note'])].filter(Boolean).join(': ')
  return (
    <>
      {said || 'No time given'}{' '}
      {data['via'] === 'overflow' ? <Badge tone="warn">All lines busy</Badge> : null}{' '}
      {call ? <Link href={`/calls/${encodeURIComponent(call)}`}>View call</Link> : null}
    </>
  )
}
