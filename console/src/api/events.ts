import type { Entry } from '@switchroom/contract/log'
import { useEffect, useState } from 'react'
import { open, Refused } from './client.ts'
import { useSession } from './session.ts'

export interface Following {
  signal: AbortSignal
  onEntry: (entry: Entry) => void
}

const retryAfterMs = 1000

/** Follows a log from its beginning until the call ends, and resumes after a lost connection. */
export async function follow(path: string, { signal, onEntry }: Following): Promise<void> {
  let last = 0
  while (!signal.aborted) {
    try {
      const headers = { accept: 'text/event-stream', ...(last > 0 && { 'last-event-id': String(last) }) }
      const { body } = await open('get', path, undefined, { signal, headers })
      if (!body) return
      for await (const { event, data } of eventsOf(body)) {
        const entry = event === 'log.caught_up' ? null : asEntry(data)
        if (!entry) continue
        if (!entry.ephemeral && entry.seq > 0) last = entry.seq
        onEntry(entry)
        if (entry.type === 'call.ended') return // the last entry of a call
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Refused && error.status !== 0 && error.status < 500) throw error
    }
    await pause(retryAfterMs, signal)
  }
}

/** The entries of a log, oldest first, live. A null path follows nothing. */
export function useLog(path: string | null): { entries: readonly Entry[]; error: Error | null } {
  const { key, env } = useSession()
  const [entries, setEntries] = useState<readonly Entry[]>([])
  const [error, setError] = useState<Error | null>(null)
  useEffect(() => {
    setEntries([])
    setError(null)
    if (path === null) return
    const gone = new AbortController()
    let waiting: Entry[] = []
    let frame = 0
    // A long log arrives in one burst: render once per frame, not once per entry.
    const onEntry = (entry: Entry) => {
      waiting.push(entry)
      frame ||= requestAnimationFrame(() => {
        const arrived = waiting
        waiting = []
        frame = 0
        setEntries((before) => [...before, ...arrived])
      })
    }
    follow(path, { signal: gone.signal, onEntry }).catch((refused: unknown) => {
      if (!gone.signal.aborted) setError(refused instanceof Error ? refused : new Error(String(refused)))
    })
    return () => {
      gone.abort()
      cancelAnimationFrame(frame)
    }
  }, [path, key, env])
  return { entries, error }
}

export interface ServerEvent {
  event: string
  data: string
}

export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text += value
      const events = text.split(/\r?\n\r?\n/)
      text = events.pop() ?? ''
      for (const lines of events) yield parsed(lines)
    }
  } finally {
    void reader.cancel().catch(() => {}) // closes the connection if the caller stops early
  }
}

function parsed(lines: string): ServerEvent {
  const fields = lines.split(/\r?\n/).map((line) => /^(\w+): ?(.*)$/.exec(line))
  const valuesOf = (name: string) =>
    fields.filter((field) => field?.[1] === name).map((field) => field?.[2] ?? '')
  return { event: valuesOf('event').join(''), data: valuesOf('data').join('\n') }
}

function asEntry(data: string): Entry | null {
  if (data === '') return null
  const entry: Partial<Entry> = JSON.parse(data)
  return typeof entry.type === 'string' ? ({ seq: 0, data: {}, ...entry } as Entry) : null
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', over)
      resolve()
    }
    const timer = setTimeout(over, ms)
    signal.addEventListener('abort', over)
  })
}
