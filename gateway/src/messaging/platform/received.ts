import type { Environment } from '@switchroom/contract/scopes'
import type { Transaction } from '../../database/database.ts'

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

/** A message that the agent is to answer. */
export interface Received extends Written {
  type: 'text' | 'audio'
  /** Of a voice note what was heard in it. */
  text: string
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
}

/** What takes messages once they are claimed. */
export interface Receiver {
  /**
   * Puts it on its conversation's queue, keeps it until an app holds the agent, or drops it because it is too old. What `alsoInTransaction` does is kept with that or not at all: when it throws, nothing of the message stays.
   */
  receive(
    message: Received,
    alsoInTransaction: (tx: Transaction) => Promise<void>,
  ): Promise<'queued' | 'waiting' | 'expired'>
  show(message: Shown): Promise<void>
  status(receipt: Receipt): Promise<void>
}
