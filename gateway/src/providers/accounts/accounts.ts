import { plans, type Account, type Plan, type ReplaceAccount } from '@switchroom/contract/accounts'
import { changedFields, recordAudit } from '../../audit/recording.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { Operator } from '../../foundation/caller.ts'
import { badRequest, notFound } from '../../foundation/refusals.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import * as store from './accounts.store.ts'

const mostCredits = 1_000_000_000

/** Opens the account of an org in the transaction that makes it. */
export const accountOfNewborn =
  (newborn: { plan: Plan; credits: number }) =>
  async (tx: Transaction, org: string): Promise<void> => {
    await store.insertAccount(tx, org, { ...newborn, subscribed: true })
  }

/** The plan of each org, and its credits for usage on the platform's keys. */
export class Accounts {
  readonly #database: Database
  readonly #orgs: Orgs

  constructor(database: Database, orgs: Orgs) {
    this.#database = database
    this.#orgs = orgs
  }

  /** By id or slug. */
  async find(idOrSlug: string): Promise<Account> {
    return this.read((await this.#orgs.find(idOrSlug)).id)
  }

  async read(org: string): Promise<Account> {
    return accountOf(org, await store.readAccount(this.#database, org))
  }

  async replace(
    by: Operator,
    idOrSlug: string,
    { plan, subscribed, credits }: ReplaceAccount,
  ): Promise<Account> {
    const { id, slug } = await this.#orgs.find(idOrSlug)
    const wanted = { plan: planOf(plan), subscribed, credits }
    if (credits < 0 || credits > mostCredits) throw badRequest(`credits is a number from 0 to ${mostCredits}`)
    return this.#database.transaction(async (tx) => {
      const before = accountOf(id, await store.readAccount(tx, id))
      const replaced = accountOf(id, await store.replaceAccount(tx, id, wanted))
      const detail = changedFields(before, replaced)
      await recordAudit(tx, by, 'org.account_changed', { kind: 'org', id, label: slug }, { org: id, detail })
      return replaced
    })
  }

  /** Takes the credits if there are enough, atomically. */
  async hold(org: string, credits: number, database: Queryable = this.#database): Promise<boolean> {
    return (await store.takeCredits(database, org, amountOf(credits))) !== undefined
  }

  async giveBack(org: string, credits: number, database: Queryable = this.#database): Promise<void> {
    await store.addCredits(database, org, amountOf(credits))
  }

  /** For costs that are known only afterwards: the account may fall below zero. */
  async charge(org: string, credits: number, database: Queryable = this.#database): Promise<void> {
    await store.addCredits(database, org, -amountOf(credits))
  }
}

function planOf(typed: string): Plan {
  const plan = plans.find((known) => known === typed)
  if (!plan) throw badRequest(`plan is ${plans.join(', ')}`)
  return plan
}

function accountOf(org: string, account: Account | undefined): Account {
  if (!account) throw notFound(`there is no org ${org}`)
  return account
}

/** A negative amount would add credits. */
function amountOf(credits: number): number {
  if (!Number.isFinite(credits) || credits < 0) throw new Error(`${credits} is no amount of credits`)
  return credits
}
