import { isDeepStrictEqual } from 'node:util'
import { mostFallbacks, type NumberFallbacks, type SetFallbacks } from '@switchroom/contract/numbers'
import { recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import { outsideList, type Caller } from '../../foundation/caller.ts'
import { badRequest, conflict, notFound } from '../../foundation/refusals.ts'
import { cutToLine } from '../../foundation/text.ts'
import * as store from './fallbacks.store.ts'

/** Which accounts a number's calls go out through if the account that it lives in cannot carry them. */
export class Fallbacks {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** In the place of those that were named before. An account serves both environments, so that a move keeps them. */
  async set(caller: Caller, number: string, { accounts }: SetFallbacks): Promise<NumberFallbacks> {
    const { org, env, agents } = caller
    refuseMalformed(accounts)
    return this.#database.transaction(async (tx) => {
      // Accounts before the number, as an account that is forgotten locks them.
      const found = await store.lockAccounts(tx, org, accounts)
      const row = await store.lockNumber(tx, number, org, env)
      if (!row) throw notFound(`this org has no number ${number} in ${env}`)
      if (agents.length > 0 && !agents.includes(row.agent)) throw outsideList(caller)
      if (accounts.length > 0) refuseUnfit(row, accounts, found)
      const answer = { number, account: row.account, fallback_accounts: [...accounts] }
      if (isDeepStrictEqual(row.fallback_accounts, accounts)) return answer
      await store.setFallbacks(tx, number, accounts)
      const target = { kind: 'number', id: number, label: number } as const
      const detail = { fallback_accounts: { before: row.fallback_accounts, after: accounts } }
      await recordAudit(tx, caller, 'number.fallbacks_set', target, { env, detail })
      return answer
    })
  }
}

function refuseMalformed(accounts: readonly string[]) {
  if (accounts.length > mostFallbacks)
    throw badRequest(`accounts: must be ${mostFallbacks} at most (got ${accounts.length})`)
  const twice = accounts.find((account, at) => accounts.indexOf(account) !== at)
  if (twice !== undefined) throw badRequest(`accounts: names ${nameIn(twice)} twice: name each account once`)
}

function refuseUnfit(
  { number, account, channel, managed, origin }: store.NumberRow,
  accounts: readonly string[],
  found: readonly store.NamedAccount[],
) {
  if (channel !== 'phone' || managed || origin === 'hooked' || account === null)
    throw conflict(`${number} lives in no carrier account of the org, so that nothing is dialled from it`)
  if (accounts.includes(account))
    throw badRequest(`accounts: ${account} is the account of ${number} and is tried first: leave it out`)
  for (const name of accounts) {
    const one = found.find((row) => row.account === name)
    if (!one) throw notFound(`this org holds no carrier account ${nameIn(name)}`)
    if (one.kind === 'msgapp') throw badRequest(`accounts: ${name} is no account that calls go out through`)
    if (!one.can_dial) throw conflict(`${name} cannot dial yet: see GET /v1/carrier/outbound`)
  }
}

const nameIn = (account: string) => cutToLine(account, 'with an empty name')
