import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { open, Refused } from './client.ts'
import { eventsOf, pause } from './events.ts'
import { useSession } from './session.ts'

/** A live event of a call of the org. */
export interface RelayEvent {
  type: string
  agent: string
  call: string
}

const retryAfterMs = 3000
const refreshAfterMs = 400
/** Audio and word events: many per second, and no list shows them. */
const passing = /^(?:bot\.word|user\.speaking|speech\.|audio\.|eager\.)/

/** Reloads the lists under this path after an event of a call. */
export function useRelay(prefix: string): void {
  const queries = useQueryClient()
  const refresh = useCallback(() => {
    void queries.invalidateQueries({
      predicate: ({ queryKey: [, , path, pages] }) => String(path).startsWith(prefix) && pages === undefined,
    })
  }, [queries, prefix])
  useRelayed(refresh)
}

/** Calls back once for events that arrive together. */
export function useRelayed(onEvents: (events: readonly RelayEvent[]) => void): void {
  const { key, env } = useSession()
  const told = useRef(onEvents)
  useEffect(() => {
    told.current = onEvents
  })
  useEffect(() => {
    const gone = new AbortController()
    let waiting: RelayEvent[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const tell = () => {
      const came = waiting
      waiting = []
      timer = undefined
      told.current(came)
    }
    void listen(gone.signal, (event) => {
      if (passing.test(event.type)) return
      waiting.push(event)
      timer ??= setTimeout(tell, refreshAfterMs)
    })
    return () => {
      gone.abort()
      clearTimeout(timer)
    }
  }, [key, env])
}

async function listen(signal: AbortSignal, onEvent: (event: RelayEvent) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      const { body } = await open('get', '/v1/events', undefined, {
        signal,
        headers: { accept: 'text/event-stream' },
      })
      if (!body) return
      for await (const { event: type, data } of eventsOf(body)) {
        if (type === '' || data === '') continue
        const { agent, call } = JSON.parse(data) as RelayEvent
        onEvent({ type, agent, call })
      }
    } catch (error) {
      const isRefused = error instanceof Refused && error.status >= 400 && error.status < 500
      if (signal.aborted || isRefused) return // the lists are polled anyway
    }
    await pause(retryAfterMs, signal)
  }
}
