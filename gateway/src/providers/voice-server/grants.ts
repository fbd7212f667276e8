import type { AskGrant, Grant, Granted, Settle } from '@switchroom/contract/voice-server'
import type { Database, Transaction } from '../../database/database.ts'
import { dayMs, hourMs, later, type Clock } from '../../foundation/clock.ts'
import { notFound } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import type { Authentication } from '../../http/authentication.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { RunningKey, StageKeys } from '../lent-keys/stage-keys.ts'
import { notLent } from '../parsing/vendor-refusals.ts'
import type { ProvidersRow } from '../row/row.ts'
import type { Chosen } from './chosen.ts'
import type { TranscriberChoice } from './transcriber-choice.ts'
import type { Admitted, Admission } from './admission.ts'
import * as store from './grants.store.ts'
import { unseenMs, type OpenStreams } from './open-streams.ts'
import type { OpenAiNames } from './openai-names.ts'
import type { SpeechChoice } from './speech-choice.ts'
import { badModel, insufficientCredits, invalidKey, noCreditsLeft, told } from './voice-refusals.ts'

/** No speech takes longer: after this its voice server counts as gone. */
const longestSpeechMs = hourMs
/** A voice server repeats an unanswered settlement for ten minutes. */
const settledKeptMs = hourMs
const openKeptMs = dayMs

export interface GrantParts {
  database: Database
  clock: Clock
  authentication: Authentication
  accounts: Accounts
  admission: Admission
  providersRow: ProvidersRow
  stageKeys: StageKeys
  speechChoice: SpeechChoice
  transcriberChoice: TranscriberChoice
  openAiNames: OpenAiNames
  openStreams: OpenStreams
}

/** Grants: what a voice server may do for a caller, and what that costs in the end. */
export class Grants {
  readonly #parts: GrantParts

  constructor(parts: GrantParts) {
    this.#parts = parts
  }

  async grant(asked: AskGrant): Promise<Granted> {
    try {
      return { grant: await this.#granted(asked) }
    } catch (error) {
      return { refusal: told(error) }
    }
  }

  /** Settles a grant's cost once; a repetition changes nothing. */
  async settle(id: string, { spoken = false, seconds = 0 }: Settle): Promise<void> {
    const { database, clock } = this.#parts
    await database.transaction(async (tx) => {
      const grant = await store.lockGrant(tx, id)
      if (!grant) throw notFound(`there is no grant ${id}`)
      if (grant.settled_at !== null) return
      const heard = { ...grant, seconds: Math.max(grant.seconds, seconds) }
      const due = grant.doing === 'speech' ? (spoken ? priceOf(heard) : 0) : priceOf(heard)
      await this.#charge(tx, heard, due, clock.now())
    })
  }

  /**
   * For a voice server that is gone: returns the reserved price of speech, and charges streams up to its last report.
   * This settles no grant, so that a voice server that comes back can still do it.
   */
  async deleteExpired(database: Database = this.#parts.database) {
    const now = this.#parts.clock.now()
    const abandoned = await store.abandonedGrants(
      database,
      later(now, -longestSpeechMs),
      later(now, -unseenMs),
    )
    for (const { id } of abandoned)
      await database.transaction(async (tx) => {
        const grant = await store.lockGrant(tx, id)
        if (!grant || grant.settled_at !== null) return
        await this.#charge(tx, grant, grant.doing === 'speech' ? 0 : priceOf(grant), null)
      })
    await store.forgetOldGrants(database, later(now, -openKeptMs), later(now, -settledKeptMs))
  }

  async #granted(request: AskGrant): Promise<Grant> {
    const { providersRow, stageKeys, speechChoice, transcriberChoice, openAiNames } = this.#parts
    const [admitted, row] = await Promise.all([this.#admitted(request), providersRow.read()])
    const asked = request.openai ? await openAiNames.inOurNames(admitted, request, row) : request
    const { caller } = admitted
    const { doing } = asked
    const chosen =
      doing === 'speech'
        ? await speechChoice.choose(admitted, asked, row)
        : await transcriberChoice.choose(admitted, doing, asked, row)
    const { stage, vendor, model, knobs } = chosen
    const key = await stageKeys.find(caller, stage, { vendor: vendor.name, model }, row)
    if (!key) throw badModel(notLent('model', { vendor: vendor.name }).message)
    const id = await this.#keep(admitted, asked, chosen, key)
    return {
      id,
      vendor: vendor.name,
      model,
      builds: null,
      knobs,
      options: row.options[`${stage}/${vendor.name}`] ?? {},
      credentials: { ...key.credentials },
      is_own: key.from === 'own',
    }
  }

  /** An admitted caller is not counted again, but their key may have been revoked since. */
  async #admitted({ doing, key_id, key = null }: AskGrant): Promise<Admitted> {
    const { admission, authentication, accounts } = this.#parts
    if (key_id === undefined) return admission.admit({ doing, key })
    const [caller] = await authentication.living([key_id])
    if (!caller) throw invalidKey('this key opens nothing')
    return { caller, account: await accounts.read(caller.org) }
  }

  /** Stores the grant and reserves its price in one transaction. */
  async #keep({ caller, account }: Admitted, asked: AskGrant, { vendor }: Chosen, key: RunningKey) {
    const { database, clock, accounts, openStreams } = this.#parts
    const { org, key_id } = caller
    const { doing } = asked
    const isPaid = key.from === 'lent' && vendor.needsKey
    const named = { id: newId('grant', 12), org, key_id, doing, credits_per_unit: key.creditsPerUnit }
    const measured = { ...named, characters: asked.characters ?? 0, seconds: 0 }
    const grant = { ...measured, charged: priceOf(measured) }
    if (isPaid && doing !== 'speech' && account.credits <= 0) throw noCreditsLeft()
    await database.transaction(async (tx) => {
      if (doing === 'streams') await openStreams.claim(tx, key_id)
      if (isPaid && doing === 'speech' && !(await accounts.hold(org, grant.charged, tx)))
        throw insufficientCredits(
          `this costs ${grant.charged} credits, which the org does not have: ask the operator for more, or bring a key of your own`,
        )
      await store.insertGrant(tx, grant, clock.now())
    })
    return grant.id
  }

  /** Charges what is still due, or returns what was charged too much. */
  async #charge(tx: Transaction, grant: store.GrantRow, due: number, settledAt: Date | null) {
    const { accounts } = this.#parts
    const difference = due - grant.charged
    if (difference > 0) await accounts.charge(grant.org, difference, tx)
    if (difference < 0) await accounts.giveBack(grant.org, -difference, tx)
    await store.writeGrant(tx, { ...grant, charged: due }, settledAt)
  }
}

/** Rounded as accounts are. */
const priceOf = (grant: Pick<store.GrantRow, 'doing' | 'credits_per_unit' | 'characters' | 'seconds'>) => {
  const units = grant.doing === 'speech' ? grant.characters : grant.seconds / 60
  return Number((units * grant.credits_per_unit).toFixed(9))
}
