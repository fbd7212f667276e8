import type { Transaction } from '../../database/database.ts'
import type { Accounts } from '../../providers/accounts/accounts.ts'
import type { AccessTokens } from '../platform/access-tokens.ts'
import type { Addressed } from '../platform/received.ts'
import type { MessagingPlatform } from '../platform/messaging-platform.ts'
import type { NoteTranscriber } from './note-transcriber.ts'

/** Each is in memory while it is transcribed. */
const mostAtOnce = 8

export interface TranscribedNote {
  text: string
  /** Charges the org for it, in the transaction that keeps it. */
  pay: (tx: Transaction) => Promise<void>
}

export interface VoiceNotesParts {
  accessTokens: AccessTokens
  messagingPlatform: MessagingPlatform
  transcriber: NoteTranscriber
  accounts: Accounts
}

/** Voice notes: fetched from the platform and transcribed by the agent's speech-to-text. */
export class VoiceNotes {
  readonly #parts: VoiceNotesParts
  readonly #queued: (() => void)[] = []
  #free = mostAtOnce

  constructor(parts: VoiceNotesParts) {
    this.#parts = parts
  }

  async transcribe(addressed: Addressed, mediaId: string): Promise<TranscribedNote> {
    await this.#turn()
    try {
      return await this.#transcribe(addressed, mediaId)
    } finally {
      const next = this.#queued.shift()
      if (next) next()
      else this.#free += 1
    }
  }

  async #transcribe(
    { org, env, agent, phoneNumberId }: Addressed,
    mediaId: string,
  ): Promise<TranscribedNote> {
    const { accessTokens, messagingPlatform, transcriber, accounts } = this.#parts
    const token = await accessTokens.tokenFor(org, phoneNumberId)
    if (token === undefined)
      throw new Error('no token opens voice notes: add the number’s account, or set SVC_MSGAPP_ACCESS_TOKEN')
    const recording = await messagingPlatform.recording(mediaId, token)
    const { text, credits } = await transcriber.transcribe({ org, env, agent, holder: '' }, recording)
    return { text, pay: (tx) => accounts.charge(org, credits, tx) }
  }

  async #turn() {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#queued.push(resolve))
  }
}
