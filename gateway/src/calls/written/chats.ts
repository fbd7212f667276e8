import type { ChatAsked, ChatMessage } from '@switchroom/contract/chat'
import type { Entry, NewEntry } from '@switchroom/contract/log'
import type { Logger } from 'pino'
import { ownerOf, scopeOf, type SettingsScope } from '../../agents/scope.ts'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import {
  badRequest,
  conflict,
  forbidden,
  notFound,
  paymentRequired,
  unprocessable,
} from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import { codePoints } from '../../foundation/text.ts'
import type { Accounts } from '../../providers/accounts/accounts.ts'
import { phoneForm } from '../callbacks/requesting.ts'
import { newCallId } from '../records/call-ids.ts'
import type { ConnectionCaps } from '../connection-caps/connection-caps.ts'
import type { CallRecords, ResolvedSettings } from '../records/records.ts'
import type { Log } from '../log/log.ts'
import { callLog, entryOf } from '../log/stamping.ts'
import { configRun, layersOf } from '../resolution/resolved-config.ts'
import type { CallModels } from './call-models.ts'
import * as store from './chats.store.ts'
import { findWritten, runBy, type WrittenHead } from './running.store.ts'
import type { WrittenCalls } from './written-calls.ts'

const longestText = 8000
const longestId = 64

/** A chat that a client may take part in, from behind this cursor on. */
export interface ChatSeat {
  head: WrittenHead
  after: number
  /** Whether the call began with it, and so ends if its upgrade fails. */
  isNew: boolean
}

export interface ChatsParts {
  database: Database
  records: CallRecords
  models: CallModels
  accounts: Accounts
  log: Log
  calls: WrittenCalls
  caps: Pick<ConnectionCaps, 'admitChat'>
  logger: Logger
  /** This gateway's name. */
  gateway: string
}

/** What people and programs write to an agent, one call a conversation. */
export class Chats {
  readonly #parts: ChatsParts

  constructor(parts: ChatsParts) {
    this.#parts = parts
  }

  /** A new call, or one to go on with. */
  seat(caller: Caller, asked: ChatAsked): Promise<ChatSeat> {
    const scope = scopeOf(caller, asked.agent)
    const contact = contactOf(asked.contact)
    return asked.call === undefined
      ? this.#open(caller, scope, contact)
      : this.#resume(caller, scope, asked.call, cursorOf(asked.after))
  }

  /** Kept once, however often it is sent under its id. Answers what the log has of it where it came before. */
  async say({ head }: ChatSeat, { text, id }: ChatMessage): Promise<Entry | undefined> {
    const { log, database } = this.#parts
    refuseUnsayable(text)
    if (id !== undefined && (id === '' || codePoints(id).length > longestId))
      throw badRequest(`a message's id is 1 to ${longestId} characters`)
    const ref = callLog(head)
    const messageId = id ?? newId('msg', 12)
    const entries = [{ type: 'user.message', data: { text, messageId } }]
    if (id === undefined) {
      await log.append(ref, entries)
      return undefined
    }
    return database.transaction(async (tx) => {
      await log.lock(tx, head.id) // so that of two that send the same at one instant one is heard
      const known = await store.findMessage(tx, head.id, id)
      if (known) return entryOf(known)
      await log.appendIn(tx, ref, entries)
      return undefined
    })
  }

  async hangUp({ head }: ChatSeat) {
    await this.#parts.log.append(callLog(head), [{ type: 'call.ended', data: { reason: 'hangup' } }])
  }

  /** A client that opened a call and disconnected before it began has hung up. */
  async leaveEmpty(seat: ChatSeat) {
    if (seat.isNew)
      await this.hangUp(seat).catch((error: unknown) =>
        this.#parts.logger.warn({ err: error }, 'an empty chat stays open'),
      )
  }

  async #open(caller: Caller, scope: SettingsScope, contact: string | null): Promise<ChatSeat> {
    const { records, calls, caps, gateway } = this.#parts
    const call = newCallId()
    await records.begin(scope, call, {
      channel: 'chat',
      caller: contact,
      contact,
      runner: gateway,
      entries: firstEntries,
      judge: (resolution) => this.#judge(caller, scope, resolution),
      admit: (tx) => caps.admitChat(tx, caller),
    })
    const head: WrittenHead = { ...scope, id: call, slug: caller.slug, contact, channel: 'chat' }
    calls.run(head, true)
    return { head, after: 0, isNew: true }
  }

  async #resume(caller: Caller, scope: SettingsScope, call: string, after: number): Promise<ChatSeat> {
    const found = await findWritten(this.#parts.database, call)
    const isTheirs =
      found?.org === scope.org &&
      found.agent === scope.agent &&
      found.env === scope.env &&
      found.holder === ownerOf(caller) &&
      found.channel === 'chat'
    if (!isTheirs) throw notFound(`there is no chat ${call} of ${scope.agent}`)
    const { isEnded, ...head } = found
    if (!isEnded) await this.#begin(caller, scope, head)
    return { head, after, isNew: false }
  }

  /** A call that was opened by a request and waits for its first client. */
  async #begin(caller: Caller, scope: SettingsScope, head: WrittenHead) {
    const { records, database, log, calls, caps, gateway } = this.#parts
    if (((await log.find(head.id))?.seq ?? 0) > 0) return
    const resolution = await records.resolve(scope, head.id, 'chat')
    await this.#judge(caller, scope, resolution)
    const isBegun = await database.transaction(async (tx) => {
      await records.refusePastQuota(tx, head.org)
      await caps.admitChat(tx, head)
      const held = await log.lock(tx, head.id)
      if (!held || held.seq > 0 || held.sealed) return false
      await runBy(tx, head.id, gateway)
      await log.appendIn(tx, callLog(head), firstEntries(resolution))
      return true
    })
    if (isBegun) calls.run(head, true)
  }

  async #judge(caller: Caller, { agent, env }: SettingsScope, resolution: ResolvedSettings) {
    const { models, accounts } = this.#parts
    if (resolution.declaration === null)
      throw conflict(`no app holds ${agent} in the ${env}: start the app that does, and open the chat again`)
    const [first] = await models.chain(caller, resolution)
    if (!first || first.source === 'missing')
      throw forbidden(`llm: the org brought no key for ${first?.vendor ?? 'any vendor'}`)
    if (first.source === 'lent' && (await accounts.read(caller.org)).credits <= 0)
      throw paymentRequired(
        `${first.vendor} runs on the platform's key, for which the org has no credits left: ask the operator for more, or bring a key of your own`,
      )
  }
}

/** A greeting that is only said stands before anything that the client may write. */
function firstEntries(resolution: ResolvedSettings): NewEntry[] {
  const started = { type: 'chat.started', data: {} }
  const say = configRun(layersOf(resolution)).greeting?.say
  if (say === undefined) return [started]
  return [started, { type: 'agent.message', data: { text: say, messageId: newId('msg', 12), source: 'say' } }]
}

/** An unescaped `+` in a query is read as a space. */
function contactOf(said: string | undefined): string | null {
  if (said === undefined) return null
  const contact = said.replace(/^ /, '+')
  if (!phoneForm.test(contact)) throw badRequest('contact is a number such as +34911234567')
  return contact
}

function cursorOf(said = '0'): number {
  if (!/^\d{1,9}$/.test(said)) throw unprocessable('after: must be the seq of a frame, or 0')
  return Number(said)
}

function refuseUnsayable(text: string) {
  if (text.trim() === '' || codePoints(text).length > longestText)
    throw badRequest(`a message is 1 to ${longestText} characters, and not all of them blank`)
}
