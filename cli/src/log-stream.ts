import type { EventPage } from '@switchroom/contract/log'
import { setTimeout as pause } from 'node:timers/promises'
import { Failure, reasonOf } from './failures.ts'
import type { GatewayClient } from './gateway-client.ts'

/** An entry of a log, a marker of the stream, or what happens in the org now. */
export interface Happened {
  type: string
  /** Absent for what is live only. */
  seq?: number
  data: Record<string, unknown>
}

interface Followed {
  path: string
  after: number
  /** Whether the log can be asked whether it is at its end: what happens now in an org has none. */
  hasEnd: boolean
  onLost: (reason: string) => void
}

const firstPauseMs = 200
const longestPauseMs = 10_000
/** The gateway pings every 30 s. */
const silentMs = 75_000

/** A log as it grows, to its end; over a lost connection it goes on after what was seen. */
export async function* followLog(gateway: GatewayClient, followed: Followed): AsyncGenerator<Happened> {
  let seen = followed.after
  let pauseMs = firstPauseMs
  let hasBegun = false
  for (;;) {
    try {
      for await (const happened of readOnce(gateway, followed.path, seen)) {
        hasBegun = true
        pauseMs = firstPauseMs
        seen = happened.seq ?? seen
        yield happened
      }
      if (followed.hasEnd && (await isAtEnd(gateway, followed.path, seen))) return
      followed.onLost('the gateway closed the stream')
    } catch (error) {
      const isRefusal = error instanceof Failure && error.status !== undefined && error.status < 500
      if (isRefusal || !hasBegun) throw error
      followed.onLost(reasonOf(error))
    }
    hasBegun = true
    await pause(pauseMs * (0.5 + Math.random() / 2))
    pauseMs = Math.min(longestPauseMs, pauseMs * 2)
  }
}

async function isAtEnd(gateway: GatewayClient, path: string, after: number): Promise<boolean> {
  const { entries, ended } = await gateway.get<EventPage>(path, { after, limit: 1 })
  return ended && entries.length === 0
}

async function* readOnce(gateway: GatewayClient, path: string, after: number): AsyncGenerator<Happened> {
  const gone = new AbortController()
  const silence = setTimeout(() => gone.abort(new Error('the gateway is silent')), silentMs)
  try {
    const headers = after > 0 ? { 'last-event-id': String(after) } : {}
    const { body } = await gateway.stream(path, headers, gone.signal)
    let unread = ''
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      silence.refresh()
      const blocks = (unread + piece).split('\n\n')
      unread = blocks.pop() ?? ''
      for (const block of blocks) {
        const happened = happenedIn(block)
        if (happened) yield happened
      }
    }
  } finally {
    clearTimeout(silence)
    gone.abort() // whoever reads no further lets the gateway know
  }
}

function happenedIn(block: string): Happened | undefined {
  const fields = new Map(block.split('\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string]))
  const text = fields.get('data')
  if (text === undefined) return undefined
  const id = fields.get('id')
  return {
    type: fields.get('event') ?? 'message',
    ...(id !== undefined && { seq: Number(id) }),
    data: JSON.parse(text) as Record<string, unknown>,
  }
}
