import { reasonForAgents } from './end-reason.ts'
import type { EventStream } from './event-stream.ts'
import type { LogRef } from './entries.ts'
import type { ShownEntry, LiveLogs } from './live-logs.ts'
import { isTestCall } from './test-call-ids.ts'

/** A reader with more unread than this is disconnected; a burst of thousands of calls is less. */
const mostUnreadBytes = 4 * 1024 * 1024

interface Reader {
  stream: EventStream
  agent: string | undefined
}

/** Live events of all calls that this process writes, without a cursor or past entries; tests are left out. */
export class Relay {
  readonly #readers = new Map<string, Set<Reader>>()

  constructor(liveLogs: LiveLogs) {
    liveLogs.watch((log, entry) => this.#pass(log, entry))
  }

  /** All events of the caller's org and environment, or of one agent. */
  read(stream: EventStream, agent: string | undefined) {
    if (stream.isOver) return
    const place = placeOf(stream.caller)
    const reader = { stream, agent }
    const readers = this.#readers.get(place) ?? new Set()
    this.#readers.set(place, readers.add(reader))
    stream.onClose = () => {
      readers.delete(reader)
      if (readers.size === 0) this.#readers.delete(place)
    }
  }

  #pass(log: LogRef, entry: ShownEntry) {
    const readers = this.#readers.get(placeOf(log))
    if (!readers || log.call === null || isTestCall(log.call)) return
    let frame: Buffer | undefined
    for (const { stream, agent } of readers) {
      if (agent !== undefined && agent !== log.agent) continue
      stream.send((frame ??= frameOf(log.agent, log.call, entry)))
      if (stream.unreadBytes > mostUnreadBytes) stream.cutOff()
    }
  }
}

const placeOf = ({ org, env }: { org: string; env: string }) => `${org}/${env}`

function frameOf(agent: string, call: string, { type, entry }: ShownEntry): Buffer {
  const { data } = JSON.parse(entry) as { data: { reason?: unknown } }
  if (type === 'call.ended') data.reason = reasonForAgents(data.reason)
  return Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ agent, call, ...data })}\n\n`)
}
