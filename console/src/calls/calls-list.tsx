import type { Session, SessionPage } from '@switchroom/contract/sessions'
import { Link } from 'wouter'
import { useGet } from '../api/queries.ts'
import { useOwnAgents } from '../who/identity.ts'
import { Empty, Progress, Refusal } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Select } from '../ui/field.tsx'
import { FilterField } from '../ui/filter-field.tsx'
import { Page } from '../ui/page.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { Time } from '../ui/time.tsx'
import { VirtualList } from '../ui/virtual-list.tsx'
import { channelName, channelOptions, contactLabel, stateName } from './call-labels.ts'
import { counted, lengthOf } from '../ui/quantities.ts'
import { AgentFilter } from './agent-filter.tsx'
import './calls.css'
import { FigureFilters, figureFilters } from './figure-filters.tsx'
import { usePages, type Pages } from '../api/pages.ts'
import { withQuery, useFilters } from '../api/query-filters.ts'
import { useRelay } from '../api/relay.ts'

export const callTabs = [
  { href: '/calls', label: 'All calls' },
  { href: '/calls/live', label: 'Live' },
  { href: '/calls/callbacks', label: 'Callbacks' },
]

const everyMs = 15_000
const pageOptions = {
  itemsOf: ({ sessions }: SessionPage) => sessions,
  keyOf: ({ call }: Session) => call,
  everyMs,
}

export function AllCalls() {
  const [asked, setFilter] = useFilters(['agent', 'state', 'channel', 'q', ...figureFilters])
  const [firstOwn = ''] = useOwnAgents() ?? []
  const filters = { ...asked, agent: asked.agent || firstOwn }
  const pages = usePages<SessionPage, Session>(
    withQuery('/v1/sessions', { ...filters, limit: '100' }),
    pageOptions,
  )
  useRelay('/v1/sessions')
  const isNarrowed = Object.values(asked).some(Boolean)
  return (
    <Page title="Calls">
      <Tabs label="Calls" tabs={callTabs} current="/calls" />
      <div className="fields calls-filters" role="search" aria-label="Filter calls">
        <FilterField
          label="Search"
          value={filters.q}
          onChange={(q) => setFilter('q', q)}
          placeholder="Number or text"
        />
        <AgentFilter value={filters.agent} onChange={(agent) => setFilter('agent', agent)} />
        <Select
          label="State"
          value={filters.state}
          onChange={(state) => setFilter('state', state)}
          options={[{ value: '', label: 'Any state' }, ...stateOptions]}
        />
        <Select
          label="Channel"
          value={filters.channel}
          onChange={(channel) => setFilter('channel', channel)}
          options={[{ value: '', label: 'Any channel' }, ...channelOptions]}
        />
      </div>
      <FigureFilters filters={filters} />
      <Refusal error={pages.error} />
      {pages.isLoading && !pages.error ? <Progress label="Loading calls" /> : null}
      {!pages.isLoading && pages.items.length === 0 ? (
        <NoCalls isNarrowed={isNarrowed} />
      ) : (
        <CallRows pages={pages} />
      )}
      <p className="soft" role="status">
        {pages.isReadingMore
          ? 'Loading more…'
          : pages.items.length > 0 &&
            `${counted(pages.items.length, 'call')}${pages.hasMore ? ' so far' : ''}`}
      </p>
    </Page>
  )
}

/** Live calls; the list updates by itself. */
export function LiveCalls() {
  const open = useGet<SessionPage>('/v1/sessions?state=open&limit=100', { everyMs })
  const held = useGet<SessionPage>('/v1/sessions?state=held&limit=100', { everyMs })
  useRelay('/v1/sessions')
  const isThere = open.data && held.data
  const own = useOwnAgents()
  const live = [...(held.data?.sessions ?? []), ...(open.data?.sessions ?? [])].filter(
    ({ agent }) => own === null || own.includes(agent),
  )
  return (
    <Page title="Calls">
      <Tabs label="Calls" tabs={callTabs} current="/calls/live" />
      <Refusal error={open.error ?? held.error} />
      {!isThere && !open.error && !held.error ? <Progress label="Loading calls" /> : null}
      {isThere && live.length === 0 ? (
        <Empty title="No live calls">
          <p>
            New calls and chats appear here automatically. <Link href="/agents">Talk to an agent</Link> to
            start one.
          </p>
        </Empty>
      ) : null}
      <ShortList sessions={live} label="Live calls" />
    </Page>
  )
}

const fewCalls = 8

/** A scrolling frame only for lists that need one. */
function CallRows({ pages }: { pages: Pages<Session> }) {
  const label = 'Calls, newest first'
  if (pages.items.length <= fewCalls && !pages.hasMore)
    return (
      <div role="region" aria-label={label}>
        <ShortList sessions={pages.items} />
      </div>
    )
  return (
    <VirtualList
      label={label}
      items={pages.items}
      itemKey={pageOptions.keyOf}
      rowHeightPx={64}
      render={(session) => <CallRow session={session} />}
      onEnd={pages.readMore}
    />
  )
}

function ShortList({ sessions, label }: { sessions: readonly Session[]; label?: string }) {
  if (sessions.length === 0) return null
  return (
    <ul className="calls-short" aria-label={label}>
      {sessions.map((session) => (
        <li key={session.call}>
          <CallRow session={session} />
        </li>
      ))}
    </ul>
  )
}

const stateOptions = (['open', 'held', 'ended'] as const).map((value) => ({ value, label: stateName(value) }))

export function CallRow({ session }: { session: Session }) {
  const { call, agent, channel, state, started_at, duration_s, turns, errors, direction } = session
  return (
    <Link href={`/calls/${encodeURIComponent(call)}`} className="call-row">
      <span className="call-row-who">
        <strong>{contactLabel(session)}</strong>
        <span className="soft">
          {direction === 'outbound' ? 'called by' : 'with'} {agent}
        </span>
      </span>
      <span className="call-row-badges">
        <StateBadge state={state} />
        <Badge>{channelName(channel)}</Badge>
        {errors > 0 ? <Badge tone="bad">{counted(errors, 'error')}</Badge> : null}
      </span>
      <span className="call-row-when soft">
        <Time epochS={started_at} />
        <span>
          {counted(turns, 'turn')}
          {duration_s === null ? '' : `, ${lengthOf(duration_s)}`}
        </span>
      </span>
    </Link>
  )
}

export function StateBadge({ state }: { state: Session['state'] }) {
  return (
    <Badge tone={state === 'open' ? 'good' : state === 'held' ? 'warn' : 'neutral'}>{stateName(state)}</Badge>
  )
}

function NoCalls({ isNarrowed }: { isNarrowed: boolean }) {
  if (isNarrowed)
    return (
      <Empty title="No matching calls">
        <p>
          Change the filters, or <Link href="/calls">show all calls</Link>.
        </p>
      </Empty>
    )
  return (
    <Empty title="No calls yet">
      <p>
        <Link href="/agents">Talk to an agent</Link>, or <Link href="/numbers/import">import a number</Link>{' '}
        that people can call.
      </p>
    </Empty>
  )
}
