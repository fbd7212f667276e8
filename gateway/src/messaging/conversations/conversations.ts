import type { Reach } from '../../calls/erasure/erasure.ts'
import type { Logger } from 'pino'
import type { AppRequests } from '../../calls/app-requests/app-requests.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { Refusal } from '../../foundation/refusals.ts'
import type { Receipt, Received, Receiver, Shown } from '../platform/received.ts'
import type { CallOutlets } from '../outlets/call-outlets.ts'
import * as store from './conversations.store.ts'
import type { ConversationCalls } from './conversation-calls.ts'
import type { WaitingMessages } from './waiting-messages.ts'

/** Receipts that apps are sent. */
const toldStatuses = new Set(['sent', 'delivered', 'read', 'failed'])
const tooMany = 429

export interface ConversationsParts {
  database: Database
  logger: Logger
  appRequests: AppRequests
  conversationCalls: ConversationCalls
  waitingMessages: WaitingMessages
  callOutlets: CallOutlets
  /** A message came to the number. */
  reached: (number: string) => Promise<void>
}

/** What contacts write: into the call of their conversation, or kept until an app holds the agent. */
export class Conversations implements Receiver {
  readonly #parts: ConversationsParts

  constructor(parts: ConversationsParts) {
    this.#parts = parts
  }

  async receive(
    message: Received,
    alsoInTransaction: (tx: Transaction) => Promise<void>,
  ): Promise<'queued' | 'waiting' | 'dropped'> {
    const { database, logger, waitingMessages, reached } = this.#parts
    await reached(message.number)
    if (waitingMessages.isTooOld(message)) {
      await database.transaction(alsoInTransaction)
      logger.info({ number: message.number }, 'a message came a day late and is dropped')
      return 'dropped'
    }
    const isHeld = await waitingMessages.isHeld(message)
    try {
      return await database.transaction((tx) => this.#receiveIn(tx, message, isHeld, alsoInTransaction))
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== tooMany) throw error
      // The org runs as many calls as it may, so the message waits for one to end.
      return await database.transaction((tx) => this.#receiveIn(tx, message, false, alsoInTransaction))
    }
  }

  /** To the app that drives the contact's conversation, if there is one: never kept. */
  async show(shown: Shown) {
    const { messageId, contact, name, type, text } = shown
    await this.#tell(shown, 'msgapp.message', ({ id, state }) => ({
      sessionId: id,
      from: contact,
      name: name ?? '',
      type,
      text,
      messageId,
      paused: state === 'held',
    }))
  }

  async status(receipt: Receipt) {
    await this.#parts.callOutlets.settle(receipt)
    const { status, contact, messageId, error } = receipt
    if (!toldStatuses.has(status)) return
    const why = status === 'failed' && error && { error }
    await this.#tell(receipt, 'msgapp.status', () => ({ status, recipient: contact, messageId, ...why }))
  }

  /** In the transaction that erases a contact; answers how much was known of them. */
  forget(tx: Transaction, reach: Reach, contact: string): Promise<number> {
    return store.deleteConversations(tx, reach, contact)
  }

  async #receiveIn(
    tx: Transaction,
    message: Received,
    isHeld: boolean,
    alsoInTransaction: (tx: Transaction) => Promise<void>,
  ): Promise<'queued' | 'waiting' | 'dropped'> {
    const { conversationCalls, waitingMessages } = this.#parts
    const held = await conversationCalls.lock(tx, message)
    await alsoInTransaction(tx)
    const isBehind = await waitingMessages.isBehind(tx, message)
    if (message.type === 'reaction' && !held.open && !isBehind) return 'dropped' // it opens no conversation
    if ((isHeld || held.isPersons) && !isBehind) {
      await conversationCalls.put(tx, message, held)
      return 'queued'
    }
    await waitingMessages.keep(tx, message)
    tx.afterCommit(() => waitingMessages.take(message)) // an app may have come meanwhile
    return 'waiting'
  }

  async #tell(
    key: store.ConversationKey,
    type: string,
    dataOf: (open: store.OpenConversation) => Record<string, unknown>,
  ) {
    const { database, appRequests } = this.#parts
    const open = await store.findOpen(database, key)
    const app = open && (await appRequests.appOf(open))
    if (app)
      await appRequests.deliver(
        app,
        open.id,
        { type, agent: open.agent, call: open.id, data: dataOf(open) },
        open.seq,
      )
  }
}
