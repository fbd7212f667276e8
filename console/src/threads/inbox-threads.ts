import type { AgentList } from '@switchroom/contract/apps'
import type { ThreadList } from '@switchroom/contract/threads'
import { keepPreviousData, useQueries, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { ask, path } from '../api/client.ts'
import { useGet } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { useOwnAgents } from '../who/identity.ts'
import { useRelayed, type RelayEvent } from '../api/relay.ts'
import type { AgentThread } from './thread-labels.ts'

const everyMs = 20_000
const threadsOfPage = 100

export interface InboxThreads {
  threads: AgentThread[]
  /** Loads older ones; undefined if there are none, or while they are loaded. */
  loadOlder: (() => void) | undefined
  agents: string[]
  isLoading: boolean
  error: Error | null
}

/** The threads of every agent, or of one: the newest of each, and older ones as they are asked for. */
export function useInbox(agent: string): InboxThreads {
  const { key, env } = useSession()
  const { data, error } = useGet<AgentList>('/v1/agents')
  const [pages, setPages] = useState(1)
  const own = useOwnAgents()
  const agents = (data?.agents.map((one) => one.agent) ?? []).filter(
    (one) => own === null || own.includes(one),
  )
  const asked = agent === '' ? agents : [agent]
  const lists = useQueries({
    queries: asked.map((one) => {
      const at = `${threadsOf(one)}?turns=1&limit=${threadsOfPage}`
      return {
        queryKey: [key, env, at, pages],
        queryFn: ({ signal }: { signal: AbortSignal }) => readPages(at, pages, signal),
        refetchInterval: everyMs,
        placeholderData: keepPreviousData,
      }
    }),
  })
  useRefreshing()
  // Below the oldest thread that one agent has on its pages so far, others may have threads that are not loaded.
  const reach = Math.max(
    0,
    ...lists.map(({ data: list }) => (list?.next ? (list.threads.at(-1)?.last_at ?? 0) : 0)),
  )
  const isOlder = lists.some(({ data: list }) => list?.next)
  const isLoadingOlder = lists.some(({ isPlaceholderData }) => isPlaceholderData)
  return {
    threads: lists.flatMap((list, place) =>
      (list.data?.threads ?? [])
        .filter(({ last_at }) => last_at >= reach)
        .map((thread) => ({ ...thread, agent: asked[place] ?? '' })),
    ),
    loadOlder: isOlder && !isLoadingOlder ? () => setPages(pages + 1) : undefined,
    agents,
    isLoading: !data || lists.some(({ isPending }) => isPending),
    error: error ?? lists.find((list) => list.error)?.error ?? null,
  }
}

/** One after the other, so that a thread that moves up meanwhile is at most listed twice; then its newer state counts. */
async function readPages(at: string, pages: number, signal: AbortSignal): Promise<ThreadList> {
  const threads = new Map<string, ThreadList['threads'][number]>()
  let next: string | null | undefined
  for (let page = 0; page < pages && next !== null; page += 1) {
    const after: string = next ? `&after=${encodeURIComponent(next)}` : ''
    const read = await ask<ThreadList>('get', at + after, undefined, { signal })
    for (const thread of read.threads) if (!threads.has(thread.contact)) threads.set(thread.contact, thread)
    next = read.next ?? null
  }
  return { threads: [...threads.values()], next: next ?? null }
}

/** An event of a call changes only the threads of its agent. */
function useRefreshing() {
  const queries = useQueryClient()
  const refresh = useCallback(
    (events: readonly RelayEvent[]) => {
      const changed = [...new Set(events.map(({ agent }) => threadsOf(agent)))]
      void queries.invalidateQueries({
        predicate: ({ queryKey: [, , at] }) => changed.some((prefix) => String(at).startsWith(`${prefix}?`)),
      })
    },
    [queries],
  )
  useRelayed(refresh)
}

export const threadsOf = (agent: string) => path`/v1/agents/${agent}/threads`
