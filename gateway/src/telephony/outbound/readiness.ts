import type { OutboundReadiness } from '@switchroom/contract/carriers'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import type { AccountRow, CarrierAccounts } from '../carriers/accounts.ts'
import type { DialPolicies } from '../dialling/policies.ts'
import type { FromNumber } from '../dialling/from-number.ts'
import type { FromNumbers } from '../dialling/from-numbers.ts'
import { listProvisioned } from './provisioning.store.ts'

interface Parts {
  database: Database
  accounts: CarrierAccounts
  fromNumbers: FromNumbers
  policies: DialPolicies
}

/** Whether an org can place a call, read from the tables: no carrier is asked. */
export class OutboundReadinesses {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async read({ org, env }: Pick<Caller, 'org' | 'env'>): Promise<OutboundReadiness> {
    const { database, accounts, fromNumbers, policies } = this.#parts
    const [held, numbers, provisioned, guards] = await Promise.all([
      accounts.serving(org, 'phone'),
      fromNumbers.ofEnvironment(org, env),
      listProvisioned(database, org),
      policies.guardsOf(org),
    ])
    const living = numbers.filter(livesInAccount)
    const ready = living.some(({ why_not }) => why_not === null)
    const only = held.length === 1 ? held[0]?.kind : undefined
    const used = living.length > 0 ? held.filter(({ account }) => isOneOf(living, account)) : held
    return {
      ready,
      kind: living[0]?.kind ?? only ?? null,
      from_numbers: living.map(({ number }) => number),
      steps_missing: ready
        ? []
        : [
            ...(held.length > 0 ? [] : ['the org has no carrier account: add one with PUT /v1/carrier']),
            ...(living.length > 0
              ? []
              : [`no number of an account is imported in ${env}: import one with POST /v1/numbers`]),
            ...used.flatMap((row) => whyNotThrough(row, provisioned)),
          ],
      guards,
    }
  }
}

const livesInAccount = ({ why_not }: FromNumber) =>
  why_not === null || why_not === 'no_host' || why_not === 'not_provisioned'

const isOneOf = (rows: readonly { account: string | null }[], account: string) =>
  rows.some((row) => row.account === account)

function whyNotThrough(
  { account, kind, dials_at }: AccountRow,
  provisioned: { account: string }[],
): string[] {
  if (kind === 'sip')
    return dials_at === null ? [`${account} has no outbound_host: say it with PUT /v1/carrier`] : []
  if (isOneOf(provisioned, account)) return []
  return [`${account} is not provisioned: call POST /v1/carrier/outbound?account=${account}`]
}
