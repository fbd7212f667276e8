import {
  mostThreads,
  mostTurns,
  type ReadMark,
  type ReadThread,
  type ThreadsAsked,
} from '@switchroom/contract/threads'
import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { dayMs, later, secondMs, type Clock } from '../../foundation/clock.ts'
import { cursorOf, placeIn } from '../../foundation/cursors.ts'
import { notFound, unprocessable } from '../../foundation/refusals.ts'
import type { ReadReceipts } from '../platform/read-receipts.ts'
import * as order from './thread-order.store.ts'
import * as store from './threads.store.ts'

export { deriveTouches } from './thread-order.store.ts'
export type { ThreadAgent } from './threads.store.ts'

/** Few enough that a page of long ones is read quickly and blocks no other request. */
const threadsAtOnce = 50
const usualThreads = 50
const touchesAtOnce = 5000

/** Some contacts, and where the next page begins: null on the last, undefined if no page was asked for. */
interface ContactPage {
  contacts: string[]
  next: string | null | undefined
}

/** Everything between an agent and each of its contacts, and how far people have read it. */
export class Threads {
  readonly #database: Database
  readonly #clock: Clock
  readonly #readReceipts: Pick<ReadReceipts, 'read'>
  /** Whether every thread has its row. */
  readonly #areFilled: () => Promise<boolean>
  readonly task: PeriodicTask = {
    name: 'order of threads',
    everyMs: 5 * secondMs,
    run: () => this.foldTouches(),
  }

  constructor(
    database: Database,
    clock: Clock,
    readReceipts: Pick<ReadReceipts, 'read'>,
    areFilled: () => Promise<boolean>,
  ) {
    this.#database = database
    this.#clock = clock
    this.#readReceipts = readReceipts
    this.#areFilled = areFilled
  }

  /** Brings what happened lately into the rows of threads. Lists have it anyway; this keeps them quick. */
  async foldTouches() {
    while ((await order.foldTouches(this.#database, touchesAtOnce)) === touchesAtOnce);
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

  async #contacts(of: store.ThreadAgent, asked: ThreadsAsked, waitingSince: Date): Promise<ContactPage> {
    const { contact, after } = asked
    if (contact !== undefined) return { contacts: [contact.replace(/^ /, '+')], next: undefined } // a plus sign in a query comes as a space
    const isPage = after !== undefined || asked.limit !== undefined
    const limit = limitOf(asked.limit)
    const list = (await this.#areFilled()) ? order.listContacts : order.listContactsOfCalls
    const listed = await list(this.#database, of, {
      waitingSince,
      after: after === undefined ? order.beforeAll : placeOf(after),
      limit: isPage ? limit + 1 : null,
    })
    if (!isPage) return { contacts: listed.map((one) => one.contact), next: undefined }
    const page = listed.slice(0, limit)
    const last = page.at(-1)
    const next = last && listed.length > limit ? cursorOf(last.at, last.contact) : null
    return { contacts: page.map((one) => one.contact), next }
  }

  async *#pieces(of: store.ThreadAgent, { contacts, next }: ContactPage, shown: store.Shown) {
    yield '{"threads":['
    let comma = ''
    for (let at = 0; at < contacts.length; at += threadsAtOnce) {
      const some = contacts.slice(at, at + threadsAtOnce)
      for (const { thread } of await store.readThreads(this.#database, of, some, shown)) {
        yield comma + thread
        comma = ','
      }
    }
    yield next === undefined ? ']}' : `],"next":${JSON.stringify(next)}}`
  }
}

function placeOf(after: string): order.ListedContact {
  const [at, contact] = placeIn(after, 'number', 'text')
  return { at, contact }
}

function limitOf(said: string | undefined): number {
  if (said === undefined) return usualThreads
  const limit = /^\d{1,3}$/.test(said) ? Number(said) : 0
  if (limit < 1 || limit > mostThreads) throw unprocessable(`limit: must be 1 to ${mostThreads}`)
  return limit
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
