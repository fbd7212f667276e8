import type { Logger } from 'pino'
import type { AccessTokens } from './access-tokens.ts'
import type { MessagingPlatform } from './messaging-platform.ts'

/** A message of a contact, as the platform names it. */
export interface ContactMessage {
  org: string
  phoneNumberId: string
  messageId: string
}

export interface ReadReceiptsParts {
  accessTokens: AccessTokens
  messagingPlatform: MessagingPlatform
  logger: Logger
}

/** What contacts see of their messages: that they were read, and that an answer is being written. */
export class ReadReceipts {
  readonly #parts: ReadReceiptsParts

  constructor(parts: ReadReceiptsParts) {
    this.#parts = parts
  }

  /** The message and all before it were read. Never fails: nothing depends on it. */
  read(message: ContactMessage): Promise<void> {
    return this.#send(message, false)
  }

  /** The same, and an answer is being written: the contact sees that until it comes, for at most 25 seconds. */
  typing(message: ContactMessage): Promise<void> {
    return this.#send(message, true)
  }

  async #send({ org, phoneNumberId, messageId }: ContactMessage, isTyping: boolean) {
    const { accessTokens, messagingPlatform, logger } = this.#parts
    try {
      const accessToken = await accessTokens.tokenFor(org, phoneNumberId)
      if (accessToken !== undefined)
        await messagingPlatform.markRead({ phoneNumberId, accessToken, messageId, isTyping })
    } catch (error) {
      logger.info({ err: error }, 'a contact was not shown that their message was read')
    }
  }
}
