import type { Logger } from 'pino'
import type { Database } from '../../database/database.ts'
import { dayMs, type Clock } from '../../foundation/clock.ts'
import { codePoints } from '../../foundation/text.ts'
import type { Addressed, Received, Receiver } from '../platform/received.ts'
import { ClaimLost, type Claim, type Claims } from './claims.ts'
import {
  shownTypes,
  type DeliveredMessage,
  type DeliveredReceipt,
  type Line,
  type ShownType,
} from './deliveries.ts'
import * as store from './routed-numbers.store.ts'
import type { UntranscribedMessages } from './untranscribed-messages.ts'

export interface MessageReceiverParts {
  database: Database
  clock: Clock
  logger: Logger
  claims: Claims
  untranscribedMessages: UntranscribedMessages
  receiver: Receiver
}

/** Read now; nothing to do; another delivery reads it; not read. */
export type Outcome = 'received' | 'dropped' | 'elsewhere' | 'failed'

type Readable = Exclude<DeliveredMessage, { type: ShownType }>

/** Thrown if the contact sent a voice note before that is not transcribed yet. */
class BehindNote extends Error {}

const isShown = (message: DeliveredMessage): message is DeliveredMessage & { type: ShownType } =>
  shownTypes.some((type) => type === message.type)

const longestQuote = 200

/** The emoji, and the words that it is for if the agent said them. */
const reactionText = (emoji: string, reactedTo: string | undefined) => {
  if (!reactedTo) return `${emoji} (a reaction)`
  const quote = codePoints(reactedTo)
  const words = quote.length > longestQuote ? `${quote.slice(0, longestQuote).join('')}…` : reactedTo
  return `${emoji} (a reaction to: “${words}”)`
}

/** Hands each delivered message to its conversation once, and the rest to an app that may see it. */
export class MessageReceiver {
  readonly #parts: MessageReceiverParts

  constructor(parts: MessageReceiverParts) {
    this.#parts = parts
  }

  async read(message: DeliveredMessage): Promise<Outcome> {
    if (isShown(message)) return this.#shown(message)
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
    const { database, claims, receiver, untranscribedMessages } = this.#parts
    const received = await this.#received(addressed, message)
    const isNote = message.type === 'audio' && !this.#isOld(message.sentAt)
    const keep = async (mediaId: string | null): Promise<Outcome> => {
      await database.transaction(async (tx) => {
        await claims.read(tx, claim)
        await untranscribedMessages.keep(tx, received, mediaId)
      })
      return 'received'
    }
    if (isNote) return keep(message.mediaId)
    try {
      const became = await receiver.receive(received, async (tx) => {
        if (await untranscribedMessages.isBehind(tx, received)) throw new BehindNote()
        await claims.read(tx, claim)
      })
      return became === 'dropped' ? 'dropped' : 'received'
    } catch (error) {
      if (error instanceof BehindNote) return keep(null)
      throw error
    }
  }

  /** As the agent reads it; a voice note is read once it is transcribed. */
  async #received(addressed: Addressed, message: Readable): Promise<Received> {
    const { name, messageId, sentAt, type } = message
    const written = { ...addressed, name, messageId, sentAt }
    if (type === 'text') return { ...written, type, text: message.text }
    if (type === 'audio') return { ...written, type, text: '' }
    if (type !== 'reaction') return { ...written, type, text: message.text, reply: message.reply }
    const reactedTo = await store.findSentText(this.#parts.database, addressed, message.to)
    return { ...written, type, text: reactionText(message.emoji, reactedTo) }
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
