import type { Logger } from 'pino'
import type { Database, Transaction } from '../../database/database.ts'
import { dayMs, type Clock } from '../../foundation/clock.ts'
import type { Addressed, Received, Receiver } from '../platform/received.ts'
import { ClaimLost, type Claim, type Claims } from './claims.ts'
import type { DeliveredMessage, DeliveredReceipt, Line, ShownType } from './deliveries.ts'
import * as store from './routed-numbers.store.ts'
import type { TranscribedNote, VoiceNotes } from './voice-notes.ts'

export interface MessageReceiverParts {
  database: Database
  clock: Clock
  logger: Logger
  claims: Claims
  voiceNotes: VoiceNotes
  receiver: Receiver
}

/** Read now; nothing to do; another delivery reads it; not read. */
export type Outcome = 'received' | 'dropped' | 'elsewhere' | 'failed'

type Readable = Exclude<DeliveredMessage, { type: ShownType }>

/** Hands each delivered message to its conversation once, and the rest to an app that may see it. */
export class MessageReceiver {
  readonly #parts: MessageReceiverParts

  constructor(parts: MessageReceiverParts) {
    this.#parts = parts
  }

  async read(message: DeliveredMessage): Promise<Outcome> {
    if (message.type !== 'text' && message.type !== 'audio') return this.#shown(message)
    try {
      const addressed = await this.#addressed(message)
      return addressed ? await this.#claimed(addressed, message) : 'dropped'
    } catch (error) {
      this.#parts.logger.warn({ err: error, type: message.type }, 'a message could not be read')
      return 'failed'
    }
  }

  async receipt({ line, ...receipt }: DeliveredReceipt) {
    const { receiver, logger } = this.#parts
    logger.info({ phone_number_id: line.phoneNumberId, status: receipt.status }, 'a receipt came')
    await this.#quietly(async () => {
      const addressed = await this.#addressed({ line, contact: receipt.contact })
      if (addressed) await receiver.status({ ...receipt, ...addressed })
    })
  }

  async #shown({ line, ...message }: DeliveredMessage & { type: ShownType }): Promise<Outcome> {
    const { receiver, logger } = this.#parts
    logger.info(
      { phone_number_id: line.phoneNumberId, type: message.type },
      'a message that is not read came',
    )
    await this.#quietly(async () => {
      const addressed = await this.#addressed({ line, contact: message.contact })
      if (addressed) await receiver.show({ ...message, ...addressed })
    })
    return 'dropped'
  }

  async #claimed(addressed: Addressed, message: Readable): Promise<Outcome> {
    const { claims, logger } = this.#parts
    const claim = await claims.take(addressed.org, message.messageId)
    if (claim === 'read') return 'dropped'
    if (claim === 'being read') return 'elsewhere'
    try {
      return await this.#put(addressed, message, claim)
    } catch (error) {
      if (error instanceof ClaimLost) return 'elsewhere'
      await claims
        .giveBack(claim)
        .catch((left: unknown) => logger.warn({ err: left }, 'a claim could not be given back'))
      throw error
    }
  }

  async #put(addressed: Addressed, message: Readable, claim: Claim): Promise<Outcome> {
    const { database, claims, receiver } = this.#parts
    const { name, messageId, type, sentAt } = message
    const { text, pay } = await this.#words(addressed, message)
    const received: Received = { ...addressed, name, messageId, type, text, sentAt }
    const alsoInTransaction = async (tx: Transaction) => {
      await claims.read(tx, claim)
      await pay(tx)
    }
    if (text === '' && !this.#isOld(sentAt)) {
      // A voice note without speech: there is nothing to answer.
      await database.transaction(alsoInTransaction)
      await this.#quietly(() => receiver.show({ ...received, type: 'audio' }))
      return 'dropped'
    }
    return (await receiver.receive(received, alsoInTransaction)) === 'expired' ? 'dropped' : 'received'
  }

  /** A voice note that comes too late for an answer is not transcribed. */
  async #words(addressed: Addressed, message: Readable): Promise<TranscribedNote> {
    const free = async () => {}
    if (message.type === 'text') return { text: message.text, pay: free }
    if (this.#isOld(message.sentAt)) return { text: '', pay: free }
    return this.#parts.voiceNotes.transcribe(addressed, message.mediaId)
  }

  #isOld(sentAt: Date) {
    return this.#parts.clock.now().getTime() - sentAt.getTime() > dayMs
  }

  async #addressed({ line, contact }: { line: Line; contact: string }): Promise<Addressed | undefined> {
    const { phoneNumberId, number } = line
    const routed = await store.findRouted(this.#parts.database, phoneNumberId, number)
    if (routed) return { ...routed, phoneNumberId, contact }
    this.#parts.logger.info(
      { phone_number_id: phoneNumberId },
      'a delivery came to a number that no org routed',
    )
    return undefined
  }

  /** What is only shown never makes a delivery fail, for the platform would deliver it again. */
  async #quietly(work: () => Promise<void>) {
    await work().catch((error: unknown) =>
      this.#parts.logger.warn({ err: error }, 'a delivery could not be shown to the app'),
    )
  }
}
