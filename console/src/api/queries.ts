import { QueryClient, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import { ask, Refused, type Method } from './client.ts'
import { useSession } from './session.ts'

export function makeQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5000,
        retry: (count, error) => count < 2 && (!(error instanceof Refused) || error.status === 0),
      },
    },
  })
}

export interface GetOptions {
  /** Asked again while the screen is looked at. */
  everyMs?: number
  enabled?: boolean
}

/** What the gateway has at a path, kept by key, environment and path. A null path asks nothing. */
export function useGet<Answer>(
  path: string | null,
  { everyMs, enabled = true }: GetOptions = {},
): UseQueryResult<Answer> {
  const { key, env } = useSession()
  return useQuery<Answer>({
    queryKey: [key, env, path],
    queryFn: ({ signal }) => ask<Answer>('get', path ?? '', undefined, { signal }),
    enabled: enabled && path !== null,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  })
}

export interface Sending {
  /** The answer, `{}` where it has no body, or null when it was refused. */
  send: <Answer = object>(method: Method, path: string, body?: unknown) => Promise<Answer | null>
  busy: boolean
  error: Error | null
  clear: () => void
}

/** Sends one thing at a time, keeps its refusal, and has what is on the screen read again. */
export function useSend(): Sending {
  const queries = useQueryClient()
  const sending = useRef(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const clear = useCallback(() => setError(null), [])
  const send = useCallback(
    async <Answer>(method: Method, path: string, body?: unknown): Promise<Answer | null> => {
      if (sending.current) return null // a second press while the first is under way
      sending.current = true
      setBusy(true)
      setError(null)
      try {
        const answer = await ask<Answer>(method, path, body)
        void queries.invalidateQueries()
        return answer
      } catch (refused) {
        setError(refused instanceof Error ? refused : new Error(String(refused)))
        return null
      } finally {
        sending.current = false
        setBusy(false)
      }
    },
    [queries],
  )
  return { send, busy, error, clear }
}
