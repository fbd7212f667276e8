import type { HeldRegistrations, TellRegistrations } from '@switchroom/contract/media-plane'
import type { OutboundTrunk } from '@switchroom/media/plane'
import type { Database } from '../../database/database.ts'
import { later, secondMs, type Clock } from '../../foundation/clock.ts'
import { cutToLine } from '../../foundation/text.ts'
import type { CarrierAccounts } from '../carriers/accounts.ts'
import { fenceName } from '../admission/number-fences.ts'
import * as store from './registrations.store.ts'

/** A worker asks every ten seconds; one that is silent for so long has given its registrations up itself. */
const leaseS = 30

interface Parts {
  database: Database
  clock: Clock
  accounts: CarrierAccounts
  trunkOf: (org: string, account: string) => Promise<OutboundTrunk | undefined>
}

/** Users that workers keep registered at SIP peers: each by one worker at a time. */
export class Registrations {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Keeps what the worker reports, and leases it what it keeps registered from now on. */
  async tell(told: TellRegistrations): Promise<HeldRegistrations> {
    const { database, clock } = this.#parts
    const { env, worker } = told
    for (const { id, state, for_s, says } of told.registrations) {
      const until = state === 'registered' ? later(clock.now(), (for_s ?? 0) * secondMs) : null
      const sentence = says === undefined ? null : cutToLine(says, '')
      await store.keepState(database, worker, { ...nameIn(id), state, until, says: sentence })
    }
    if (told.draining) {
      await store.giveBackRegistrations(database, worker)
      return { lease_s: leaseS, registrations: [] }
    }
    const now = clock.now()
    const claimed = await store.claimRegistrations(database, told, later(now, leaseS * secondMs), now)
    const held = await Promise.all(claimed.map((one) => this.#held(one, env)))
    return { lease_s: leaseS, registrations: held.flatMap((one) => one ?? []) }
  }

  async #held({ org, account }: store.AccountName, env: TellRegistrations['env']) {
    const { accounts, trunkOf } = this.#parts
    const [opened, trunk] = await Promise.all([accounts.opened(org, account), trunkOf(org, account)])
    if (opened?.kind !== 'sip' || !trunk) return undefined
    const fence = fenceName({ org, env }, { from: 'peer', account })
    return { id: `${org}/${account}`, fence, username: opened.username, trunk }
  }
}

/** An account's own id has no slash. */
function nameIn(id: string): store.AccountName {
  const [org = '', account = ''] = id.split('/')
  return { org, account }
}
