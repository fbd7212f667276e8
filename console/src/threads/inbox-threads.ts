import type { AgentList } from '@switchroom/contract/apps'
import type { ThreadList } from '@switchroom/contract/threads'
import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { ask, path } from '../api/client.ts'
import { useGet } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { useRelayed, type RelayEvent } from '../api/relay.ts'
import type { AgentThread } from './thread-labels.ts'

const everyMs = 20_000

export interface InboxThreads {
  threads: AgentThread[]
  agents: string[]
  isLoading: boolean
  error: Error | null
}

/** The threads of every agent, or of one. */
export function useInbox(agent: string): InboxThreads {
  const { key, env } = useSession()
  const { data, error } = useGet<AgentList>('/v1/agents')
  const agents = data?.agents.map((one) => one.agent) ?? []
  const asked = agent === '' ? agents : [agent]
  const lists = useQueries({
    queries: asked.map((one) => {
      const at = `${threadsOf(one)}?turns=1`
      return {
        queryKey: [key, env, at],
        queryFn: ({ signal }: { signal: AbortSignal }) => ask<ThreadList>('get', at, undefined, { signal }),
        refetchInterval: everyMs,
      }
    }),
  })
  useRefreshing()
  return {
    threads: lists.flatMap((list, place) =>
      (list.data?.threads ?? []).map((thread) => ({ ...thread, agent: asked[place] ?? '' })),
    ),
    agents,
    isLoading: !data || lists.some(({ isPending }) => isPending),
    error: error ?? lists.find((list) => list.error)?.error ?? null,
  }
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
