import type { Environment } from '@switchroom/contract/scopes'
import type { Transaction } from '../../database/database.ts'
import type { PlatformError } from './send-failures.ts'

/** The number that a message came to, and the agent that answers there. */
export interface Addressed {
  org: string
  env: Environment
  agent: string
  number: string
  /** The number's id at the platform. */
  phoneNumberId: string
  /** As `+34911234567`; or the platform's own id of a contact whose number it does not show. */
  contact: string
}

interface Written extends Addressed {
  /** As the platform names the contact. */
  name: string | null
  messageId: string
  sentAt: Date
}

/** The button or the row of a list that a contact chose. */
export interface Reply {
  /** As the sender of the buttons named it. */
  id: string
  title: string
  description?: string
}

/** A message that the agent is to answer. */
export interface Received extends Written {
  type: 'text' | 'audio' | 'button' | 'interactive' | 'reaction'
  /** Of a voice note what was heard in it; of a reply what was chosen. */
  text: string
  /** Of a `button` or `interactive` message. */
  reply?: Reply
  /** Why a voice note could not be transcribed. */
  failure?: string
}

/** A message that is neither answered nor kept: only a connected app sees it. */
export interface Shown extends Written {
  type: 'audio' | 'image' | 'video' | 'document'
  /** The caption. */
  text: string
}

/** What the platform says of a message that was sent to a contact. */
export interface Receipt extends Addressed {
  /** The platform's id of what was sent. */
  messageId: string
  /** What the send carried as `biz_opaque_callback_data`. */
  opaque: string | null
  /** Such as sent, delivered, read or failed. */
  status: string
  /** Why it failed, if it did and the platform says so. */
  error: PlatformError | null
}

/** What takes messages once they are claimed. */
export interface Receiver {
  /**
   * Puts it on its conversation's queue, keeps it until an app holds the agent, or drops it because it is too old, or is a reaction after the conversation has ended. What `alsoInTransaction` does is kept with that or not at all: when it throws, nothing of the message stays.
   */
  receive(
    message: Received,
    alsoInTransaction: (tx: Transaction) => Promise<void>,
  ): Promise<'queued' | 'waiting' | 'dropped'>
  show(message: Shown): Promise<void>
  status(receipt: Receipt): Promise<void>
}
