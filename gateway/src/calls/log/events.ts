import type { Logger } from 'pino'
import { refuseMalformedSlug } from '../../agents/scope.ts'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { notFound } from '../../foundation/refusals.ts'
import type { EventStream } from './event-stream.ts'
import { LogReader, type FrameOf, type ReadLog } from './log-reader.ts'
import * as store from './log.store.ts'
import { aboutLog, agentLog, type KeptEntry } from './entries.ts'
import type { LiveLogs } from './live-logs.ts'

/** Reads of a log over HTTP: a page at a time, or as a stream. */
export class EventLogs {
  readonly #database: Database
  readonly #liveLogs: LiveLogs
  readonly #logger: Logger

  constructor(database: Database, liveLogs: LiveLogs, logger: Logger) {
    this.#database = database
    this.#liveLogs = liveLogs
    this.#logger = logger
  }

  /** An unknown call, another org's and one of the other environment are refused alike. */
  async ofCall({ org, env }: Caller, call: string): Promise<ReadLog> {
    const log = await store.findLog(this.#database, call)
    // the name of an agent's own log is no call id
    if (log?.call !== call || log.org !== org || log.env !== env) throw notFound(`there is no call ${call}`)
    return { ...log, isCall: true }
  }

  /** Empty for an agent without entries. */
  async ofAgent({ org, env }: Caller, agent: string): Promise<ReadLog> {
    refuseMalformedSlug(agent)
    const { id } = agentLog({ org, env, agent })
    const log = await store.findLog(this.#database, id)
    return { id, agent, isCall: false, seq: log?.seq ?? 0, sealed: false }
  }

  /** The stored entries, byte for byte. */
  async page(log: ReadLog, after: number, limit: number): Promise<string> {
    const entries = await store.readAfter(this.#database, log.id, after, limit)
    const isLast = entries.length < limit
    const read = Math.max(entries.at(-1)?.seq ?? after, isLast ? log.seq : 0, after)
    const missing = JSON.stringify(missingIn(entries, after, read))
    const ended = log.sealed && read >= log.seq
    return `{"entries":[${entries.map(({ entry }) => entry).join()}],"next":${read},"gap":${missing},"ended":${ended}}`
  }

  /** As whole entries, or as much of each as a reader is shown. */
  stream(log: ReadLog, after: number, stream: EventStream, frameOf?: FrameOf) {
    const reader = new LogReader(stream, log, after, frameOf)
    reader.start(this.#database, this.#liveLogs).catch((error: unknown) => {
      this.#logger.warn({ err: error, ...aboutLog(log.id) }, 'a log could not be read')
      stream.cutOff() // the reader reconnects and resumes
    })
  }
}

/** The first and the last entry up to `read` that are no longer stored. */
function missingIn(entries: readonly KeptEntry[], after: number, read: number) {
  let first: number | undefined
  let last = 0
  let expected = after + 1
  for (const { seq } of [...entries, { seq: read + 1 }]) {
    if (seq > expected) {
      first ??= expected
      last = seq - 1
    }
    expected = seq + 1
  }
  return first === undefined ? null : { from: first, to: last }
}
