import { useEffect } from 'react'
import { Link } from 'wouter'
import { useFilters } from '../api/query-filters.ts'
import { Empty, Progress, Refusal } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Select } from '../ui/field.tsx'
import { FilterField } from '../ui/filter-field.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { VirtualList } from '../ui/virtual-list.tsx'
import { useInbox } from './inbox-threads.ts'
import { addressOf, chosen, isShowing, keyOf, lastWords, titleOf, type AgentThread } from './thread-labels.ts'
import { ThreadPane } from './thread-pane.tsx'
import './threads.css'

/** As many as fit on a screen. */
const fewThreads = 20

interface InboxProps {
  /** The open thread, or null. */
  open: { agent: string; contact: string } | null
}

/** All threads, and the open one. */
export function Inbox({ open }: InboxProps) {
  const [{ agent, show, q: words }, setFilter] = useFilters(['agent', 'show', 'q'])
  const inbox = useInbox(agent)
  const shown = chosen(inbox.threads, isShowing(show) ? show : 'all', words)
  // A filter may leave few of what is loaded, or none.
  const { loadOlder } = inbox
  const isShort = shown.length < fewThreads
  useEffect(() => {
    if (isShort) loadOlder?.()
  }, [isShort, loadOlder])
  const current = open && keyOf(open)
  const query = new URLSearchParams({
    ...(agent && { agent }),
    ...(show && { show }),
    ...(words && { q: words }),
  }).toString()
  const hrefOf = (thread: AgentThread) => addressOf(thread) + (query && `?${query}`)
  return (
    <Page title="Threads">
      <div className={`inbox ${open ? 'has-open' : ''}`}>
        <section className="inbox-list" aria-label="Inbox">
          <div className="fields inbox-filters">
            <FilterField
              label="Search"
              value={words}
              onChange={(value) => setFilter('q', value)}
              placeholder="Name, number or text"
            />
            <Select
              label="Show"
              value={show}
              onChange={(value) => setFilter('show', value)}
              options={[
                { value: '', label: 'All' },
                { value: 'unread', label: 'Unread' },
                { value: 'open', label: 'Open' },
                { value: 'held', label: 'Taken over' },
              ]}
            />
            {inbox.agents.length > 1 ? (
              <Select
                label="Agent"
                value={agent}
                onChange={(value) => setFilter('agent', value)}
                options={[{ value: '', label: 'All agents' }, ...inbox.agents]}
              />
            ) : null}
          </div>
          <Refusal error={inbox.error} />
          {inbox.isLoading && shown.length === 0 && !inbox.error ? (
            <Progress label="Loading threads" />
          ) : null}
          {!inbox.isLoading && shown.length === 0 ? <NoThreads hasAny={inbox.threads.length > 0} /> : null}
          {shown.length > 0 ? (
            <VirtualList
              label="Threads, newest first"
              items={shown}
              itemKey={keyOf}
              rowHeightPx={76}
              {...(loadOlder && { onEnd: loadOlder })}
              render={(thread) => (
                <ThreadRow thread={thread} href={hrefOf(thread)} isOpen={keyOf(thread) === current} />
              )}
            />
          ) : null}
        </section>
        {open ? (
          <ThreadPane key={keyOf(open)} {...open} backTo={`/threads${query && `?${query}`}`} />
        ) : (
          <div className="inbox-nothing">
            <Empty title="No thread selected">
              <p>Select a thread to read and answer it.</p>
            </Empty>
          </div>
        )}
      </div>
    </Page>
  )
}

interface ThreadRowProps {
  thread: AgentThread
  href: string
  isOpen: boolean
}

function ThreadRow({ thread, href, isOpen }: ThreadRowProps) {
  const unread = thread.unread ?? 0
  return (
    <Link
      href={href}
      className={`thread-row ${unread > 0 ? 'is-unread' : ''}`}
      aria-current={isOpen ? 'page' : undefined}
    >
      <span className="thread-row-top">
        <strong>{titleOf(thread)}</strong>
        <span className="soft">
          <Time epochS={thread.last_at} />
        </span>
      </span>
      <span className="thread-row-words">{lastWords(thread)}</span>
      <span className="thread-row-badges">
        <span className="soft">{thread.agent}</span>
        {unread > 0 ? <Badge tone="good">{unread} unread</Badge> : null}
        {thread.failure ? <Badge tone="bad">Not delivered</Badge> : null}
        {thread.state === 'held' ? <Badge tone="warn">Taken over</Badge> : null}
        {thread.state === 'waiting' ? <Badge tone="bad">Waiting for the app</Badge> : null}
      </span>
    </Link>
  )
}

function NoThreads({ hasAny }: { hasAny: boolean }) {
  if (hasAny)
    return (
      <Empty title="No matching threads">
        <p>Change the search or the filters.</p>
      </Empty>
    )
  return (
    <Empty title="No threads yet">
      <p>
        <Link href="/numbers/carriers">Add a WhatsApp account</Link> and route its number to an agent. Every
        contact with a number has a thread here; chats without a contact are under{' '}
        <Link href="/calls">Calls</Link>.
      </p>
    </Empty>
  )
}
