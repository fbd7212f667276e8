import type { Logger } from 'pino'
import { refuseMalformedSlug } from '../../agents/scope.ts'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { notFound } from '../../foundation/refusals.ts'
import type { EventStream } from './event-stream.ts'
import { LogReader, type ReadLog } from './log-reader.ts'
import * as store from './log.store.ts'
import { agentLog, type KeptEntry } from './entries.ts'
import type { LiveLogs } from './live-logs.ts'

/** Who reads a log: a page at a time, or for as long as it grows. */
export class EventLogs {
  readonly #database: Database
  readonly #liveLogs: LiveLogs
  readonly #logger: Logger

  constructor(database: Database, liveLogs: LiveLogs, logger: Logger) {
    this.#database = database
    this.#liveLogs = liveLogs
    this.#logger = logger
  }

  /** One refusal for a call that nobody knows, another org's and one of the other environment. */
  async ofCall({ org, env }: Caller, call: string): Promise<ReadLog> {
    const log = await store.findLog(this.#database, call)
    // an agent's own log is no call's, whoever guesses its name
    if (log?.call !== call || log.org !== org || log.env !== env) throw notFound(`there is no call ${call}`)
    return { ...log, isCall: true }
  }

  /** Of an agent of which nothing was ever written it is empty. */
  async ofAgent({ org, env }: Caller, agent: string): Promise<ReadLog> {
    refuseMalformedSlug(agent)
    const { id } = agentLog({ org, env, agent })
    const log = await store.findLog(this.#database, id)
    return { id, agent, isCall: false, seq: log?.seq ?? 0, sealed: false }
  }

  /** The entries as they are kept, byte for byte. */
  async page(log: ReadLog, after: number, limit: number): Promise<string> {
    const entries = await store.readAfter(this.#database, log.id, after, limit)
    const isLast = entries.length < limit
    const read = Math.max(entries.at(-1)?.seq ?? after, isLast ? log.seq : 0, after)
    const missing = JSON.stringify(missingIn(entries, after, read))
    const ended = log.sealed && read >= log.seq
    return `{"entries":[${entries.map(({ entry }) => entry).join()}],"next":${read},"gap":${missing},"ended":${ended}}`
  }

  stream(log: ReadLog, after: number, stream: EventStream) {
    const reader = new LogReader(stream, log, after)
    reader.start(this.#database, this.#liveLogs).catch((error: unknown) => {
      this.#logger.warn({ err: error }, 'a log could not be read')
      stream.cutOff() // whoever reads comes back, and goes on from where it was
    })
  }
}

/** The first and the last that are not kept any more, of those up to the one read. */
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
