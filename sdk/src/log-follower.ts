import type { Entry, EventPage } from '@switchroom/contract/log'
import { setTimeout as sleep } from 'node:timers/promises'
import { Address, type AddressOptions } from './address.ts'
import { BackOff } from './back-off.ts'
import { GatewayRefusal } from './gateway-refusal.ts'
import { openEvents, readJson, type LogAddress, type LogEvent } from './log-request.ts'

const longestPauseMs = 5_000

interface Following {
  /** The last `seq` that was already read; 0 by default. */
  after?: number
  signal?: AbortSignal
  /** Called when the connection is lost or was not made. The follower retries, unless this throws. */
  onLost?: (error: Error, hasConnected: boolean) => void
}

export interface FollowLogOptions extends LogAddress, Following {
  /** Whether the log has a last entry: a call's has. */
  hasEnd?: boolean
}

export interface FollowCallOptions extends AddressOptions, Following {
  /** The call's id. */
  call: string
}

/**
 * The events of a log as they are written. After a lost connection it resumes after the last `seq`,
 * so each `seq` comes once. Fails with a `GatewayRefusal` that another try would not change.
 */
export async function* followLog(options: FollowLogOptions): AsyncGenerator<LogEvent> {
  const { signal, hasEnd = false, onLost } = options
  const backOff = new BackOff(longestPauseMs)
  let seen = options.after ?? 0
  let hasConnected = false
  for (;;) {
    if (signal?.aborted) return
    try {
      const events = await openEvents(options, seen, signal)
      hasConnected = true
      for await (const event of events) {
        backOff.reset()
        if (event.seq !== undefined) {
          if (event.seq <= seen) continue
          seen = event.seq
        }
        yield event
        if (hasEnd && event.seq !== undefined && event.type === 'call.ended') return
      }
      if (hasEnd && (await isAtEnd(options, seen, signal))) return
      throw new Error('the gateway closed the stream')
    } catch (error) {
      if (signal?.aborted) return
      if (error instanceof GatewayRefusal && !error.isTemporary) throw error
      onLost?.(error as Error, hasConnected)
    }
    await sleep(backOff.nextMs(), undefined, { signal }).catch(() => {})
  }
}

/** Only what a log keeps: no markers of the stream, nothing that is live only. */
export async function* keptEntries(events: AsyncIterable<LogEvent>): AsyncGenerator<Entry> {
  for await (const { seq, data } of events) if (seq !== undefined) yield data as Entry
}

/** The entries of a call as they are written, each once, up to `call.ended`. */
export async function* followCall(options: FollowCallOptions): AsyncGenerator<Entry> {
  const { call, after, signal, onLost, ...address } = options
  const { url, headers } = new Address(address)
  const path = `/v1/calls/${encodeURIComponent(call)}/events`
  const following = {
    ...(after !== undefined && { after }),
    ...(signal && { signal }),
    ...(onLost && { onLost }),
  }
  yield* keptEntries(followLog({ url, headers, path, hasEnd: true, ...following }))
}

/** True after the last entry of a log that ended before `after`, or whose last entries are no longer kept. */
async function isAtEnd(log: LogAddress, after: number, signal: AbortSignal | undefined): Promise<boolean> {
  const { entries, ended } = await readJson<EventPage>(log, `?after=${after}&limit=1`, signal)
  return ended && entries.length === 0
}
