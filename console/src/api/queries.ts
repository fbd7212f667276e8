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
  /** Polls while the screen is open. */
  everyMs?: number
  enabled?: boolean
}

/** A GET, cached by key, environment and path. A null path sends nothing. */
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
  /** The response, `{}` without a body, or null when it was refused. */
  send: <Answer = object>(method: Method, path: string, body?: unknown) => Promise<Answer | null>
  busy: boolean
  error: Error | null
  clear: () => void
}

/** Sends one request at a time, keeps its error, and reloads the data on screen. */
export function useSend(): Sending {
  const queries = useQueryClient()
  const sending = useRef(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const clear = useCallback(() => setError(null), [])
  const send = useCallback(
    async <Answer>(method: Method, path: string, body?: unknown): Promise<Answer | null> => {
      if (sending.current) return null // a second click while the first request runs
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
