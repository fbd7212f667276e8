import { withoutAccount } from '@switchroom/contract/extensions'
import type { NumberEntry, NumberList, NumberPath, PathStep, Route } from '@switchroom/contract/numbers'
import type { RunningGateways } from '../../agents/apps/running-gateways.ts'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { later, minuteMs, type Clock } from '../../foundation/clock.ts'
import { numberKey, shownNumber } from '../../foundation/number-keys.ts'
import { notFound } from '../../foundation/refusals.ts'
import type { TelephonySettings } from '../../foundation/telephony-settings.ts'
import { atFence } from '../admission/number-fences.ts'
import * as store from './numbers.store.ts'
import { pathSteps, ringsOf } from './path.ts'

export type { NumberRow } from './numbers.store.ts'

export interface NumbersParts {
  database: Database
  clock: Clock
  gateways: Pick<RunningGateways, 'id' | 'alive'>
  /** Of a carrier of the catalogue. */
  networksOf: (kind: string) => readonly string[] | undefined
  sipNames: TelephonySettings['sipNames']
}

/** Numbers, and the agent that answers at each, from the tables alone: no carrier and no media server is asked. */
export class Numbers {
  readonly #parts: NumbersParts

  constructor(parts: NumbersParts) {
    this.#parts = parts
  }

  /** Of any org, by its key. */
  find(number: string): Promise<store.NumberRow | undefined> {
    return store.findNumber(this.#parts.database, number)
  }

  /** A call came to it; written at most once a minute. */
  async reached(number: string) {
    const { database, clock } = this.#parts
    const now = clock.now()
    await store.setLastCall(database, number, now, later(now, -minuteMs))
  }

  /** Oldest first. */
  async list(caller: Caller): Promise<NumberList> {
    return { numbers: (await this.#statuses(caller, null)).map((row) => this.#entryOf(row)) }
  }

  /** Why a number rings, or why not. */
  async path(caller: Caller, number: string): Promise<NumberPath> {
    const [row] = await this.#statuses(caller, numberKey(caller.org, number))
    if (!row) throw notFound(`this org has no number ${number} in ${caller.env}`)
    const steps = this.#stepsOf(row)
    return { number, steps, rings: ringsOf(steps), last_call_at: row.last_call_at }
  }

  #statuses({ org, env }: Caller, number: string | null): Promise<store.StatusRow[]> {
    const { database, gateways } = this.#parts
    return store.listStatuses(database, { org, env }, gateways.alive, number)
  }

  #entryOf(row: store.StatusRow): NumberEntry {
    const { origin, via, account, fallback_accounts, last_call_at, label, number } = row
    return {
      route: routeOf({ ...row, label: label ?? shownNumber(number) }),
      origin,
      rings: ringsOf(this.#stepsOf(row)),
      last_call_at,
      via: origin === 'hooked' ? via : null,
      account,
      fallback_accounts,
    }
  }

  #stepsOf(row: store.StatusRow): PathStep[] {
    const { networksOf, sipNames } = this.#parts
    const stateOf = (network: string) => row.states[network] ?? 'waiting'
    const fence = atFence(row, row, { networksOf, stateOf, peerOf: () => ({}) })
    const address = `sip:${withoutAccount(row.number)}@${sipNames[row.env] ?? 'the name in SVC_DOMAIN'}:5060`
    return pathSteps(row, fence, stateOf, address)
  }
}

/** Exactly the fields of a route. */
export const routeOf = ({ org, agent, channel, number, label, env, managed }: Route): Route => ({
  org,
  agent,
  channel,
  number: shownNumber(number),
  label,
  env,
  managed,
})
