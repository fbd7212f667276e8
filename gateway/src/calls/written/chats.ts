import type { ChatAsked, ChatMessage } from '@switchroom/contract/chat'
import type { Entry } from '@switchroom/contract/log'
import type { Logger } from 'pino'
import { ownerOf, scopeOf, type SettingsScope } from '../../agents/scope.ts'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { badRequest, notFound, unprocessable } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import { codePoints } from '../../foundation/text.ts'
import type { Accounts } from '../../providers/accounts/accounts.ts'
import { phoneForm } from '../callbacks/callback-requests.ts'
import { newCallId } from '../records/call-ids.ts'
import { metadataInQuery } from '../records/call-metadata.ts'
import type { ConnectionCaps } from '../connection-caps/connection-caps.ts'
import type { CallRecords } from '../records/records.ts'
import type { Log } from '../log/log.ts'
import { aboutCall, callLog, entryOf } from '../log/entries.ts'
import { refuseUnanswered } from './answerable.ts'
import type { CallModels } from './call-models.ts'
import * as store from './chats.store.ts'
import { firstEntries } from './first-entries.ts'
import { findWritten, setRunner, type WrittenCallRecord } from './written-calls.store.ts'
import type { WrittenCalls } from './written-calls.ts'

const longestText = 8000
const longestId = 64

/** A chat that a client may join, from behind this cursor on. */
export interface ChatSeat {
  record: WrittenCallRecord
  after: number
  /** Whether this request opened the call, which then ends if the client never connects. */
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

/** Chats with agents; each conversation is one call. */
export class Chats {
  readonly #parts: ChatsParts

  constructor(parts: ChatsParts) {
    this.#parts = parts
  }

  /** Opens a new call, or resumes one. */
  seat(caller: Caller, asked: ChatAsked): Promise<ChatSeat> {
    const scope = scopeOf(caller, asked.agent)
    const contact = contactOf(asked.contact)
    return asked.call === undefined
      ? this.#open(caller, scope, contact, metadataInQuery(asked.metadata))
      : this.#resume(caller, scope, asked.call, cursorOf(asked.after))
  }

  /** Stored once, however often it is sent under its id; answers the stored entry if it came before. */
  async say({ record }: Pick<ChatSeat, 'record'>, { text, id }: ChatMessage): Promise<Entry | undefined> {
    const { log, database } = this.#parts
    refuseUnsayable(text)
    if (id !== undefined && (id === '' || codePoints(id).length > longestId))
      throw badRequest(`a message's id is 1 to ${longestId} characters`)
    const ref = callLog(record)
    const messageId = id ?? newId('msg', 12)
    const entries = [{ type: 'user.message', data: { text, messageId } }]
    if (id === undefined) {
      await log.append(ref, entries)
      return undefined
    }
    return database.transaction(async (tx) => {
      await log.lock(tx, record.id) // so that a message sent twice concurrently is stored once
      const known = await store.findMessage(tx, record.id, id)
      if (known) return entryOf(known)
      await log.appendIn(tx, ref, entries)
      return undefined
    })
  }

  async hangUp({ record }: ChatSeat) {
    await this.#parts.log.append(callLog(record), [{ type: 'call.ended', data: { reason: 'hangup' } }])
  }

  /** A client that opened a call and disconnected before it began has hung up. */
  async leaveEmpty(seat: ChatSeat) {
    if (seat.isNew)
      await this.hangUp(seat).catch((error: unknown) =>
        this.#parts.logger.warn(
          { err: error, ...aboutCall(seat.record) },
          'an empty chat could not be ended',
        ),
      )
  }

  async #open(
    caller: Caller,
    scope: SettingsScope,
    contact: string | null,
    metadata: Record<string, unknown>,
  ): Promise<ChatSeat> {
    const { records, calls, caps, gateway } = this.#parts
    const call = newCallId()
    const { traceparent } = await records.begin(scope, call, {
      channel: 'chat',
      caller: contact,
      contact,
      metadata,
      runner: gateway,
      entries: (resolution) => firstEntries(resolution, metadata),
      judge: (resolution) => refuseUnanswered(this.#parts, caller, scope, resolution),
      admit: (tx) => caps.admitChat(tx, caller),
    })
    const { slug } = caller
    const record: WrittenCallRecord = { ...scope, id: call, slug, contact, channel: 'chat', traceparent }
    calls.run(record, true)
    return { record, after: 0, isNew: true }
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
    const { isEnded, ...record } = found
    if (!isEnded) await this.#begin(caller, scope, record)
    return { record, after, isNew: false }
  }

  /** Starts a call that was opened by a request and waits for its first client. */
  async #begin(caller: Caller, scope: SettingsScope, record: WrittenCallRecord) {
    const { records, database, log, calls, caps, gateway } = this.#parts
    if (((await log.find(record.id))?.seq ?? 0) > 0) return
    const resolution = await records.resolve(scope, record.id, 'chat')
    await refuseUnanswered(this.#parts, caller, scope, resolution)
    const isStarted = await database.transaction(async (tx) => {
      await records.refusePastQuota(tx, record.org, 'chat')
      await caps.admitChat(tx, record)
      const locked = await log.lock(tx, record.id)
      if (!locked || locked.seq > 0 || locked.sealed) return false
      await setRunner(tx, record.id, gateway)
      await log.appendIn(tx, callLog(record), firstEntries(resolution))
      return true
    })
    if (isStarted) calls.run(record, true)
  }
}

/** An unescaped `+` in a query arrives as a space. */
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
