import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { open, Refused } from './client.ts'
import { eventsOf, pause } from './events.ts'
import { useSession } from './session.ts'

/** Something that happens now in a call of the org. */
export interface RelayEvent {
  type: string
  agent: string
  call: string
}

const againAfterMs = 3000
const refreshAfterMs = 400
/** Sound and single words come many a second, and change no list. */
const passing = /^(?:bot\.word|user\.speaking|speech\.|audio\.|eager\.)/

/** Has the lists that begin with this path read again when something happens in a call. */
export function useRelay(prefix: string): void {
  const queries = useQueryClient()
  const refresh = useCallback(() => {
    void queries.invalidateQueries({
      predicate: ({ queryKey: [, , path, pages] }) => String(path).startsWith(prefix) && pages === undefined,
    })
  }, [queries, prefix])
  useRelayed(refresh)
}

/** Told once for what comes together. */
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
      if (signal.aborted || isRefused) return // the lists are asked again now and then all the same
    }
    await pause(againAfterMs, signal)
  }
}
