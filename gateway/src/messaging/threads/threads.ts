import { mostTurns, type ReadMark, type ReadThread, type ThreadsAsked } from '@switchroom/contract/threads'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { dayMs, later, type Clock } from '../../foundation/clock.ts'
import { notFound, unprocessable } from '../../foundation/refusals.ts'
import type { ReadReceipts } from '../platform/read-receipts.ts'
import * as store from './threads.store.ts'

export type { ThreadAgent } from './threads.store.ts'

/** Few enough that a page of long ones is read quickly and blocks no other request. */
const threadsAtOnce = 50

/** Everything between an agent and each of its contacts, and how far people have read it. */
export class Threads {
  readonly #database: Database
  readonly #clock: Clock
  readonly #readReceipts: Pick<ReadReceipts, 'read'>

  constructor(database: Database, clock: Clock, readReceipts: Pick<ReadReceipts, 'read'>) {
    this.#database = database
    this.#clock = clock
    this.#readReceipts = readReceipts
  }

  /** Piece by piece, for an agent may have any number of contacts: the pieces together are one `ThreadList`. */
  async list(caller: Caller, agent: string, asked: ThreadsAsked): Promise<AsyncIterable<string>> {
    const of = threadAgentOf(caller, agent)
    const waitingSince = waitingAt(this.#clock.now())
    const member = caller.kind === 'person' ? caller.subject : null
    const shown = { waitingSince, member, turns: turnsOf(asked.turns) }
    return this.#pieces(of, await this.#contacts(of, asked, waitingSince), shown)
  }

  /** Refuses a contact whom the agent does not know. */
  async refuseUnknown(of: store.ThreadAgent, contact: string) {
    if (!(await store.isKnown(this.#database, of, contact, waitingAt(this.#clock.now()))))
      throw unknownThread(of.agent, contact)
  }

  /** Also shows the contact that what they last wrote was read. */
  async markRead(caller: Caller, agent: string, contact: string, asked: ReadThread): Promise<ReadMark> {
    const of = threadAgentOf(caller, agent)
    const now = this.#clock.now()
    await this.refuseUnknown(of, contact)
    const seen = asked.up_to === undefined ? now : seenAt(asked.up_to, now)
    const marked = await store.markRead(this.#database, of, contact, caller.subject, seen)
    const newest = await store.findNewestMessage(this.#database, of, contact, seen)
    if (newest) void this.#readReceipts.read({ ...newest, org: of.org })
    return { contact, read_at: marked?.read_at ?? seen.getTime() / 1000 }
  }

  async #contacts(of: store.ThreadAgent, { contact }: ThreadsAsked, waitingSince: Date): Promise<string[]> {
    if (contact !== undefined) return [contact.replace(/^ /, '+')] // a plus sign in a query comes as a space
    return (await store.listContacts(this.#database, of, waitingSince)).map((listed) => listed.contact)
  }

  async *#pieces(of: store.ThreadAgent, contacts: readonly string[], shown: store.Shown) {
    yield '{"threads":['
    let comma = ''
    for (let at = 0; at < contacts.length; at += threadsAtOnce) {
      const some = contacts.slice(at, at + threadsAtOnce)
      for (const { thread } of await store.readThreads(this.#database, of, some, shown)) {
        yield comma + thread
        comma = ','
      }
    }
    yield ']}'
  }
}

export const threadAgentOf = ({ org, env }: Caller, agent: string): store.ThreadAgent => ({ org, env, agent })

/** Since when a message may have waited; older ones are dropped. */
export const waitingAt = (now: Date) => later(now, -dayMs)

export const unknownThread = (agent: string, contact: string) =>
  notFound(`there is no thread of ${contact} with ${agent}`)

function turnsOf(said: string | undefined): number {
  if (said === undefined) return mostTurns
  const turns = /^\d{1,3}$/.test(said) ? Number(said) : mostTurns + 1
  if (turns > mostTurns) throw unprocessable(`turns: must be 0 to ${mostTurns}`)
  return turns
}

/** Not later than now: turns to come are unread. */
function seenAt(upTo: number, now: Date): Date {
  const seen = new Date(Math.round(upTo * 1000))
  if (!(seen.getTime() >= 0)) throw unprocessable('up_to: must be the ts of a turn')
  return seen < now ? seen : now
}
