import type { NewEntry } from '@switchroom/contract/log'
import { knowContact } from '../../calls/contacts/known-contacts.ts'
import { newCallId } from '../../calls/records/call-ids.ts'
import type { CallRecords } from '../../calls/records/records.ts'
import type { Log } from '../../calls/log/log.ts'
import type { LogRef } from '../../calls/log/entries.ts'
import { quietEntries } from '../../calls/written/idleness.ts'
import type { WrittenCalls } from '../../calls/written/written-calls.ts'
import type { Transaction } from '../../database/database.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import type { Received } from '../platform/received.ts'
import type { CallOutlets } from '../outlets/call-outlets.ts'
import * as store from './conversations.store.ts'

export interface ConversationCallsParts {
  clock: Clock
  orgs: Orgs
  log: Log
  records: CallRecords
  calls: Pick<WrittenCalls, 'run'>
  callOutlets: Pick<CallOutlets, 'begin'>
  /** This gateway's name. */
  gateway: string
}

/** A conversation that is locked to the end of a transaction. */
export interface LockedConversation {
  /** Its open call; undefined if the next message opens one. */
  open: LogRef | undefined
  /** Whether a person took that call over. */
  isPersons: boolean
}

/** Puts messages into the calls of their conversations. */
export class ConversationCalls {
  readonly #parts: ConversationCallsParts

  constructor(parts: ConversationCallsParts) {
    this.#parts = parts
  }

  /** Also records that the contact wrote. Ends a call that was silent for too long, if no gateway did before. */
  async lock(tx: Transaction, message: Received): Promise<LockedConversation> {
    const isReaction = message.type === 'reaction' // the platform does not say that one opens the window
    const locked = await this.#lock(tx, message, isReaction ? null : message.sentAt)
    if (message.contact.startsWith('+')) await knowContact(tx, message, this.#parts.clock.now())
    return locked
  }

  /** On the call's queue, which is its log; answers the call. */
  async put(tx: Transaction, message: Received, { open, isPersons }: LockedConversation): Promise<string> {
    return this.#put(tx, message, open, entriesOf(message, isPersons))
  }

  /** What a person sends to a contact who need not have written: it opens a call if none is open. */
  async putOutgoing(tx: Transaction, parties: store.ConversationParties, entry: NewEntry): Promise<string> {
    const { open } = await this.#lock(tx, parties, null)
    return this.#put(tx, parties, open, [entry])
  }

  async #lock(
    tx: Transaction,
    parties: store.ConversationParties,
    wroteAt: Date | null,
  ): Promise<LockedConversation> {
    const { clock, log } = this.#parts
    const call = await store.lockConversation(tx, parties, wroteAt)
    const held = call === null ? undefined : await log.lock(tx, call)
    // if the number leads to another agent by now, a conversation with that one begins
    if (!held || held.sealed || held.agent !== parties.agent) return { open: undefined, isPersons: false }
    const state = await store.readCallState(tx, held.id)
    const ends = quietEntries({ activeAt: state?.active_at ?? 0 }, clock.now())
    if (ends.length === 0) return { open: held, isPersons: state?.state === 'held' }
    await log.appendIn(tx, held, ends)
    return { open: undefined, isPersons: false }
  }

  async #put(
    tx: Transaction,
    parties: store.ConversationParties,
    open: LogRef | undefined,
    entries: readonly NewEntry[],
  ): Promise<string> {
    if (!open) return this.#open(tx, parties, entries)
    await this.#parts.log.appendIn(tx, open, entries)
    return open.id
  }

  async #open(
    tx: Transaction,
    parties: store.ConversationParties,
    entries: readonly NewEntry[],
  ): Promise<string> {
    const { orgs, records, calls, callOutlets, gateway } = this.#parts
    const { org, env, agent, number, contact, name } = parties
    const call = newCallId()
    const scope = { org, env, agent, holder: '' }
    const started = {
      type: 'msgapp.started',
      data: { session: { contactPhone: contact, contactName: name } },
    }
    const { traceparent } = await records.beginIn(tx, scope, call, {
      channel: 'msgapp',
      caller: contact,
      called: number,
      contact,
      runner: gateway,
      entries: () => [started, ...entries],
    })
    await callOutlets.begin(tx, { ...parties, call })
    await store.setCall(tx, parties, call)
    const slug = (await orgs.lookUp(org, tx))?.slug ?? ''
    const record = { ...scope, id: call, slug, contact, channel: 'msgapp', traceparent }
    tx.afterCommit(() => calls.run(record, false))
    return call
  }
}

function entriesOf(
  { text, messageId, name, type, reply, failure }: Received,
  paused: boolean,
): readonly NewEntry[] {
  const turn = {
    type: 'user.message',
    data: { text, messageId, name, type, ...(reply && { reply }), paused },
  }
  if (failure === undefined) return [turn]
  return [turn, { type: 'error', data: { code: 'msgapp_not_transcribed', messageId, detail: failure } }]
}
