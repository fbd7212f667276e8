import type { Reading } from '@switchroom/process/meters'
import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Caller } from '../foundation/caller.ts'
import { secondMs } from '../foundation/clock.ts'
import { Refusal } from '../foundation/refusals.ts'
import type { Authentication, Opened } from './authentication.ts'

const pollEveryMs = 2 * secondMs

const connectionKinds = ['event_stream', 'app_socket', 'chat_socket'] as const
type ConnectionKind = (typeof connectionKinds)[number]

/** A socket or an event stream: it outlives the request whose key was checked. */
export interface OpenConnection extends Opened {
  readonly kind: ConnectionKind
  /** Called after each check that the key passed, with its caller as of now. */
  stays(caller: Caller): void
  /** Called once: the key is no longer valid for it. */
  ends(refusal: Refusal): void
  /** Called once: this gateway stops. */
  leaves(): Promise<void>
}

/** The sockets and event streams of this gateway. A periodic task checks their keys, in one statement for all. */
export class OpenConnections {
  readonly #authentication: Authentication
  readonly #open = new Set<OpenConnection>()
  #isLeaving = false
  readonly task: PeriodicTask = {
    name: 'check keys of open connections',
    everyMs: pollEveryMs,
    run: () => this.#poll(),
  }

  constructor(authentication: Authentication) {
    this.#authentication = authentication
  }

  add(connection: OpenConnection) {
    if (this.#isLeaving) void connection.leaves()
    else this.#open.add(connection)
  }

  delete(connection: OpenConnection) {
    this.#open.delete(connection)
  }

  countOpen(): Reading[] {
    const counts = new Map<ConnectionKind, number>(connectionKinds.map((kind) => [kind, 0]))
    for (const { kind } of this.#open) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return Array.from(counts, ([kind, open]) => [open, kind] as const)
  }

  /** Checks one connection now: its caller, or undefined after it was ended. */
  async judged(connection: OpenConnection): Promise<Caller | undefined> {
    const [judged] = await this.#authentication.again([connection])
    if (!(judged instanceof Refusal)) return judged
    this.#end(connection, judged)
    return undefined
  }

  /** Closes every connection, and each that is opened from now on. */
  async leave() {
    this.#isLeaving = true
    await Promise.all(Array.from(this.#open, (connection) => connection.leaves()))
  }

  async #poll() {
    if (this.#open.size === 0 || this.#isLeaving) return
    const open = [...this.#open]
    const judged = await this.#authentication.again(open)
    for (const [i, connection] of open.entries()) this.#tell(connection, judged[i])
  }

  #tell(connection: OpenConnection, judged: Caller | Refusal | undefined) {
    if (!judged || !this.#open.has(connection)) return // closed meanwhile
    if (judged instanceof Refusal) this.#end(connection, judged)
    else connection.stays(judged)
  }

  #end(connection: OpenConnection, refusal: Refusal) {
    if (this.#open.delete(connection)) connection.ends(refusal)
  }
}
