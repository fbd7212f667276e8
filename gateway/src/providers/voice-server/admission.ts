import type { Account } from '@switchroom/contract/accounts'
import type { AskEntry, Entered, VoiceDoing } from '@switchroom/contract/voice-server'
import { minuteMs } from '../../foundation/clock.ts'
import { Refusal, tooMany } from '../../foundation/refusals.ts'
import type { Authentication, LivingKey } from '../../http/authentication.ts'
import type { RateCounts } from '../../http/rate-counts.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { OpenStreams } from './open-streams.ts'
import { subscriptionRequired, told } from './voice-refusals.ts'

export interface AdmissionParts {
  authentication: Authentication
  accounts: Accounts
  rateCounts: RateCounts
  openStreams: OpenStreams
  /** For one key in a minute. */
  rates: Readonly<Record<VoiceDoing, number>>
}

/** The caller, and their org's account. */
export interface Admitted {
  caller: LivingKey
  account: Account
}

const inWords: Record<VoiceDoing, string> = {
  speech: 'speech',
  voices: 'voices',
  transcriptions: 'transcriptions',
  streams: 'live transcriptions',
}

/** Admits callers of a voice server: any valid key, whatever its scopes. */
export class Admission {
  readonly #parts: AdmissionParts

  constructor(parts: AdmissionParts) {
    this.#parts = parts
  }

  async enter(asked: AskEntry): Promise<Entered> {
    try {
      const { org, key_id, env } = (await this.admit(asked)).caller
      return { org, key_id, env }
    } catch (error) {
      return { org: '', key_id: '', refusal: told(error) }
    }
  }

  /** A caller without a subscription is counted too, although refused. */
  async admit({ doing, key }: AskEntry): Promise<Admitted> {
    const { authentication, accounts, openStreams } = this.#parts
    const caller = await authentication.caller(key === null ? {} : { authorization: `Bearer ${key}` })
    const { org, key_id } = caller
    const [account, tooOften] = await Promise.all([accounts.read(org), this.#count(doing, key_id)])
    if (!account.subscribed && doing !== 'voices') throw subscriptionRequired()
    if (tooOften) throw tooOften
    if (doing === 'streams') await openStreams.refuseOneMore(key_id)
    return { caller, account }
  }

  async #count(doing: VoiceDoing, keyId: string): Promise<Refusal | undefined> {
    const { rates, rateCounts } = this.#parts
    const tries = rates[doing]
    const sentence = `this key asked for ${inWords[doing]} ${tries} times in a minute: wait a little before the next`
    if (tries === 0) return tooMany(sentence, minuteMs / 1000)
    try {
      await rateCounts.admit({ name: `voice server ${doing}`, tries, windowMs: minuteMs }, [keyId], sentence)
    } catch (error) {
      if (error instanceof Refusal) return error
      throw error
    }
    return undefined
  }
}
