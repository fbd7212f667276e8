import { plans, type Account, type Plan, type ReplaceAccount } from '@switchroom/contract/accounts'
import { changedFields, recordAudit } from '../../audit/recording.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Operator } from '../../foundation/caller.ts'
import { secondMs } from '../../foundation/clock.ts'
import { badRequest, notFound } from '../../foundation/refusals.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import * as store from './accounts.store.ts'

const mostCredits = 1_000_000_000
const settleEveryMs = 5 * secondMs
/** How often an idle gateway settles after its last charge, which may be committed late. */
const roundsAfterCharge = 3
const orgsAtOnce = 200

/** Opens the account of an org in the transaction that makes it. */
export const accountOfNewborn =
  (newborn: { plan: Plan; credits: number }) =>
  async (tx: Transaction, org: string): Promise<void> => {
    await store.insertAccount(tx, org, { ...newborn, subscribed: true })
  }

/**
 * The plan of each org, and its credits for usage on the platform's keys. Charges are inserted as changes, so that they
 * wait for nobody, and summed into the account later; a reader counts both.
 */
export class Accounts {
  readonly #database: Database
  readonly #orgs: Orgs
  /** At first for what gateways that died have left. */
  #rounds = 1
  readonly task: PeriodicTask = {
    name: 'settle credits',
    everyMs: settleEveryMs,
    runsAtStart: true,
    run: async () => {
      if (this.#rounds === 0) return
      this.#rounds -= 1
      await this.settle()
    },
  }

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
      await store.lockAccount(tx, id)
      const before = accountOf(id, await store.readAccount(tx, id))
      await store.deleteChanges(tx, id)
      const replaced = accountOf(id, await store.replaceAccount(tx, id, wanted))
      const detail = changedFields(before, replaced)
      await recordAudit(tx, by, 'org.account_changed', { kind: 'org', id, label: slug }, { org: id, detail })
      return replaced
    })
  }

  /** Takes the credits if there are enough, atomically. */
  async hold(org: string, credits: number, database: Queryable = this.#database): Promise<boolean> {
    return store.takeCredits(database, org, amountOf(credits))
  }

  async giveBack(org: string, credits: number, database: Queryable = this.#database): Promise<void> {
    await this.#add(database, [[org, amountOf(credits)]])
  }

  /** For costs that are known only afterwards: the account may fall below zero. */
  charge(org: string, credits: number, database: Queryable = this.#database): Promise<void> {
    return this.chargeAll(database, [[org, credits]])
  }

  /** The same for several orgs. */
  async chargeAll(database: Queryable, charges: readonly (readonly [string, number])[]): Promise<void> {
    await this.#add(
      database,
      charges.map(([org, credits]) => [org, -amountOf(credits)] as const),
    )
  }

  /** Sums changes into their accounts; accounts that are locked now have their turn in the next round. */
  async settle() {
    let orgs: string[]
    let after = ''
    do {
      orgs = await store.listUnsettled(this.#database, after, orgsAtOnce)
      const settled = orgs.length > 0 ? await store.settleChanges(this.#database, orgs) : 0
      if (settled < orgs.length) this.#rounds = roundsAfterCharge
      after = orgs.at(-1) ?? ''
    } while (orgs.length === orgsAtOnce)
  }

  async #add(database: Queryable, changes: readonly (readonly [string, number])[]) {
    const nonzero = changes.filter(([, credits]) => credits !== 0)
    if (nonzero.length === 0) return
    await store.addChanges(database, nonzero)
    this.#rounds = roundsAfterCharge
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
