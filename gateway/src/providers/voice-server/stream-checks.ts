import type { AskStreams, StreamsJudged, VoiceRefusal } from '@switchroom/contract/voice-server'
import type { Database } from '../../database/database.ts'
import { later, type Clock } from '../../foundation/clock.ts'
import type { Refusal } from '../../foundation/refusals.ts'
import type { Authentication } from '../../http/authentication.ts'
import type { Accounts } from '../accounts/accounts.ts'
import * as store from './grants.store.ts'
import { unseenMs } from './open-streams.ts'
import { invalidKey, noCreditsLeft, subscriptionRequired, told } from './voice-refusals.ts'

interface StreamState {
  subscribed: boolean
  /** Minus the cost of its open streams so far. */
  credits: number
}

/** Decides which open streams may continue. */
export class StreamChecks {
  readonly #database: Database
  readonly #clock: Clock
  readonly #authentication: Authentication
  readonly #accounts: Accounts

  constructor(database: Database, clock: Clock, authentication: Authentication, accounts: Accounts) {
    this.#database = database
    this.#clock = clock
    this.#authentication = authentication
    this.#accounts = accounts
  }

  async judge({ streams }: AskStreams): Promise<StreamsJudged> {
    const open = await store.seeStreams(this.#database, streams, this.#clock.now())
    const keys = await this.#authentication.living([...new Set(open.map(({ key_id }) => key_id))])
    const living = new Set(keys.map(({ key_id }) => key_id))
    const standings = await this.#standings([...new Set(open.map(({ org }) => org))])
    const byId = new Map(open.map((grant) => [grant.id, grant]))
    const refused: Record<string, VoiceRefusal> = {}
    for (const { grant: id } of streams) {
      const grant = byId.get(id)
      const refusal = grant ? refusalOf(grant, living, standings.get(grant.org)) : endedAlready()
      if (refusal) refused[id] = told(refusal)
    }
    return { refused }
  }

  async #standings(orgs: readonly string[]): Promise<Map<string, StreamState>> {
    const seenAfter = later(this.#clock.now(), -unseenMs)
    const owed = new Map(
      (await store.owedForStreams(this.#database, orgs, seenAfter)).map((row) => [row.org, row.owed]),
    )
    const standings = orgs.map(async (org) => {
      const { subscribed, credits } = await this.#accounts.read(org)
      return [org, { subscribed, credits: credits - (owed.get(org) ?? 0) }] as const
    })
    return new Map(await Promise.all(standings))
  }
}

const endedAlready = () => invalidKey('this stream was ended already: open another')

function refusalOf(
  { key_id, credits_per_unit }: store.GrantRow,
  living: ReadonlySet<string>,
  standing: StreamState | undefined,
): Refusal | undefined {
  if (!living.has(key_id)) return invalidKey('this key opens nothing')
  if (!standing?.subscribed) return subscriptionRequired()
  return credits_per_unit > 0 && standing.credits <= 0 ? noCreditsLeft() : undefined
}
