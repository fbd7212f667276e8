import type { ReadMark, Thread, ThreadList } from '@switchroom/contract/threads'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { ask, path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { EraseContact } from '../calls/erase-contact.tsx'
import { channelName } from '../calls/call-labels.ts'
import { useCan } from '../who/identity.ts'
import { Loaded, Empty, Refusal } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Time } from '../ui/time.tsx'
import { Composer } from './composer.tsx'
import { threadsOf } from './inbox-threads.ts'
import { ThreadTurns } from './thread-turns.tsx'
import { titleOf } from './thread-labels.ts'

interface ThreadPaneProps {
  agent: string
  contact: string
  backTo: string
}

const everyMs = 10_000

export function ThreadPane({ agent, contact, backTo }: ThreadPaneProps) {
  const query = new URLSearchParams({ contact })
  const list = useGet<ThreadList>(`${threadsOf(agent)}?${query.toString()}`, { everyMs })
  return (
    <section
      className="thread-pane"
      aria-label={`Thread with ${titleOf(list.data?.threads[0] ?? { name: null, contact })}`}
    >
      <Loaded of={list} label="Loading thread">
        {({ threads: [thread] }) =>
          thread ? (
            <OpenThread agent={agent} thread={thread} backTo={backTo} />
          ) : (
            <Empty title="Thread not found">
              <ButtonLink href={backTo}>Back to inbox</ButtonLink>
            </Empty>
          )
        }
      </Loaded>
    </section>
  )
}

function OpenThread({ agent, thread, backTo }: { agent: string; thread: Thread; backTo: string }) {
  const can = useCan()
  useReadMark(agent, thread)
  return (
    <>
      <header className="thread-head">
        <Link href={backTo} className="thread-back">
          <span aria-hidden="true">‹</span> Inbox
        </Link>
        <div className="grow">
          <h2>{titleOf(thread)}</h2>
          <p className="soft">
            {thread.name ? `${thread.contact}, with ` : 'With '}
            <Link href={`/agents/${encodeURIComponent(agent)}`}>{agent}</Link>
          </p>
        </div>
        <StateOf thread={thread} />
        <div className="thread-actions">
          {thread.call && can('talk') ? (
            <TakeoverButton call={thread.call} isHeld={thread.state === 'held'} />
          ) : null}
          <EraseContact contact={thread.contact} thenTo={backTo} />
        </div>
      </header>
      <ThreadTurns thread={thread} agent={agent} />
      {can('talk') ? <Composer agent={agent} thread={thread} /> : null}
    </>
  )
}

function StateOf({ thread: { state, window_closes_at, calls } }: { thread: Thread }) {
  if (state === 'held') return <Badge tone="warn">Taken over</Badge>
  if (state === 'waiting') return <Badge tone="bad">Waiting for the app</Badge>
  const live = calls.find(({ ended_at }) => ended_at === null)
  if (live && state !== 'open')
    return (
      <span className="thread-state">
        <Badge tone="good">Live</Badge> <span className="soft">{channelName(live.channel)}</span>
      </span>
    )
  if (state !== 'open') return <Badge>Ended</Badge>
  return (
    <span className="thread-state soft">
      <Badge tone="good">Open</Badge>
      {window_closes_at === null ? null : (
        <span>
          until <Time epochS={window_closes_at} />
        </span>
      )}
    </span>
  )
}

/** After a takeover the model does not answer until the conversation is returned. */
function TakeoverButton({ call, isHeld }: { call: string; isHeld: boolean }) {
  const { send, busy, error } = useSend()
  const hand = async () => {
    const verb = isHeld ? 'release' : 'takeover'
    await send('post', path`/v1/calls/${call}/verbs`, { verb })
  }
  return (
    <>
      <Button busy={busy} onClick={() => void hand()}>
        {isHeld ? 'Return to agent' : 'Take over'}
      </Button>
      <ButtonLink href={`/calls/${encodeURIComponent(call)}`} tone="plain">
        Call log
      </ButtonLink>
      <Refusal error={error} />
    </>
  )
}

/** Marks a thread as read while its page is visible. */
function useReadMark(agent: string, { contact, unread, last_at }: Thread) {
  const queries = useQueryClient()
  const marked = useRef(0)
  useEffect(() => {
    const mark = async () => {
      if (document.visibilityState !== 'visible' || !unread || marked.current >= last_at) return
      marked.current = last_at
      try {
        await ask<ReadMark>('put', `${threadsOf(agent)}${path`/${contact}/read`}`, { up_to: last_at })
        await queries.invalidateQueries({
          predicate: ({ queryKey: [, , at] }) => String(at).startsWith(threadsOf(agent)),
        })
      } catch {
        marked.current = 0 // the next message marks it
      }
    }
    void mark()
    const onSight = () => void mark()
    document.addEventListener('visibilitychange', onSight)
    return () => document.removeEventListener('visibilitychange', onSight)
  }, [agent, contact, unread, last_at, queries])
}
