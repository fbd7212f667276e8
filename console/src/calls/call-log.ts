import type { Entry, EventPage } from '@switchroom/contract/log'
import { useEffect, useState } from 'react'
import { ask, path } from '../api/client.ts'
import { follow } from '../api/events.ts'
import { useSession } from '../api/session.ts'

export interface CallLog {
  entries: readonly Entry[]
  /** The partial transcript of both sides, which is not stored. */
  now: { hears: string; says: string }
  isLoading: boolean
  error: Error | null
}

const nothing: CallLog = { entries: [], now: { hears: '', says: '' }, isLoading: true, error: null }

/** A call's log from its beginning, followed while the call is live. */
export function useCallLog(call: string, isLive: boolean | undefined): CallLog {
  const { key, env } = useSession()
  const [log, setLog] = useState(nothing)
  useEffect(() => {
    setLog(nothing)
    if (isLive === undefined) return
    const gone = new AbortController()
    const { signal } = gone
    const read = isLive ? followed : readAll
    read(path`/v1/calls/${call}/events`, signal, (change) => {
      if (!signal.aborted) setLog((before) => ({ ...change(before), isLoading: false }))
    }).catch((refused: unknown) => {
      const error = refused instanceof Error ? refused : new Error(String(refused))
      if (!signal.aborted) setLog((before) => ({ ...before, isLoading: false, error }))
    })
    return () => gone.abort()
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- a call that ends while it is shown is not loaded again
  }, [call, key, env, isLive === undefined])
  return log
}

type Take = (change: (before: CallLog) => CallLog) => void

async function readAll(at: string, signal: AbortSignal, take: Take): Promise<void> {
  for (let after = 0; ;) {
    const page = await ask<EventPage>('get', `${at}?after=${after}&limit=1000`, undefined, { signal })
    take((before) => ({ ...before, entries: [...before.entries, ...page.entries] }))
    if (page.entries.length === 0 || page.next === after) return
    after = page.next
  }
}

/** A long log arrives in one burst: render once per frame, not once per entry. */
async function followed(at: string, signal: AbortSignal, take: Take): Promise<void> {
  let waiting: Entry[] = []
  let frame = 0
  const draw = () => {
    const came = waiting
    waiting = []
    frame = 0
    take((before) => came.reduce(withEntry, before))
  }
  const onEntry = (entry: Entry) => {
    waiting.push(entry)
    frame ||= requestAnimationFrame(draw)
  }
  await follow(at, { signal, onEntry })
}

function withEntry(log: CallLog, { type, ephemeral, ...rest }: Entry): CallLog {
  const { data } = rest
  const said = typeof data['text'] === 'string' ? data['text'] : ''
  if (type === 'user.speaking') return { ...log, now: { ...log.now, hears: said } }
  if (type === 'bot.word')
    return { ...log, now: { ...log.now, says: `${log.now.says} ${String(data['word'])}` } }
  if (ephemeral || type.startsWith('log.')) return log
  const now = {
    hears: type === 'user.message' ? '' : log.now.hears,
    says: type === 'agent.message' || type === 'bot.speaking' ? '' : log.now.says,
  }
  return { ...log, now, entries: [...log.entries, { type, ephemeral, ...rest }] }
}
