import type { Transaction } from '../../database/database.ts'
import type { Accounts } from '../../providers/accounts/accounts.ts'
import type { AccessTokens } from '../access-tokens.ts'
import type { Addressed } from '../received.ts'
import type { Media } from './media.ts'
import type { NoteTranscriber } from './note-transcriber.ts'

/** Each is held in memory while it is heard. */
const mostAtOnce = 8

export interface HeardNote {
  text: string
  /** What is paid for it, in the transaction that keeps it. */
  pay: (tx: Transaction) => Promise<void>
}

/** Voice notes: fetched from the platform and heard by the agent's ears. */
export class VoiceNotes {
  readonly #tokens: AccessTokens
  readonly #media: Media
  readonly #transcriber: NoteTranscriber
  readonly #accounts: Accounts
  readonly #waiting: (() => void)[] = []
  #free = mostAtOnce

  constructor(tokens: AccessTokens, media: Media, transcriber: NoteTranscriber, accounts: Accounts) {
    this.#tokens = tokens
    this.#media = media
    this.#transcriber = transcriber
    this.#accounts = accounts
  }

  async hear(addressed: Addressed, mediaId: string): Promise<HeardNote> {
    await this.#turn()
    try {
      return await this.#heard(addressed, mediaId)
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free += 1
    }
  }

  async #heard({ org, env, agent, phoneNumberId }: Addressed, mediaId: string): Promise<HeardNote> {
    const token = await this.#tokens.tokenFor(org, phoneNumberId)
    if (token === undefined)
      throw new Error('no token opens voice notes: add the number’s account, or set SVC_MSGAPP_ACCESS_TOKEN')
    const recording = await this.#media.recording(mediaId, token)
    const { text, credits } = await this.#transcriber.hear({ org, env, agent, holder: '' }, recording)
    return { text, pay: (tx) => this.#accounts.charge(org, credits, tx) }
  }

  async #turn() {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}
