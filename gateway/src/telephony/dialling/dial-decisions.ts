import type { DialGuards, DialKind, ExplainAsked, ExplainedDial } from '@switchroom/contract/dialling'
import type { Environment } from '@switchroom/contract/scopes'
import type { RunningGateways } from '../../agents/apps/running-gateways.ts'
import { scopeOf, type SettingsScope } from '../../agents/scope.ts'
import { newCallId } from '../../calls/records/call-ids.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { dayMs, later, minuteMs, secondMs, type Clock } from '../../foundation/clock.ts'
import { badRequest, notFound, Refusal, unprocessable } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import { cutToLine } from '../../foundation/text.ts'
import { chosenFrom, type FromNumber } from './from-number.ts'
import { numberInQuery, readCalled, type CalledNumber } from './called-number.ts'
import * as store from './dial-decisions.store.ts'
import { readDialledExtension } from './dialled-extension.ts'
import { firstRefusal, judgeDial, type DialFacts } from './guards.ts'
import { effectiveGuards } from './effective-limits.ts'
import { codeOfReason } from './reason-codes.ts'

/** A request to ring a number. */
export interface DialAsked<Kind extends DialKind = DialKind> {
  /** A leg into a live call and a caller sent on are held to shape and pace, a leg to its `from` as well. */
  kind: Kind
  caller: Caller
  agent: string
  to: string
  /** What `to` is, if it may be more than a number. */
  target?: CalledNumber | undefined
  /** Without it, the agent's first number. */
  from?: string | undefined
  /** The live call of a leg or a transfer; a dial gets one of its own. */
  call?: string | undefined
  isConsentSent?: boolean | undefined
  /** The org calls a number of its own: no stranger, and nobody whose consent is needed. */
  isOwnNumber?: boolean | undefined
}

/** A dial that passed every guard; its row is in the ledger. */
export interface TakenDial<Kind extends DialKind = DialKind> extends SettingsScope {
  /** The row's. */
  id: string
  call: string
  to: string
  /** What it is dialled from, and through which account; the caller who is sent on is dialled by the carrier. */
  from: Kind extends 'transfer' ? null : FromNumber & { account: string }
  /** A member's id, or the label of a key that names no person. */
  by: string
  at: Date
  /** The org's limits. */
  guards: DialGuards
}

export type AlsoInTransaction<Kind extends DialKind> = (
  tx: Transaction,
  taken: TakenDial<Kind>,
) => Promise<void>

export interface DialDecisionsParts {
  database: Database
  clock: Clock
  gateways: Pick<RunningGateways, 'id' | 'alive'>
  /** Counts the decision, or the reason of the refusal. */
  onDecided?: (env: Environment, outcome: string) => void
}

/** Whose numbers are rung: every dial is judged and written down, taken or refused. */
export class DialDecisions {
  readonly #parts: DialDecisionsParts

  constructor(parts: DialDecisionsParts) {
    this.#parts = parts
  }

  /**
   * Judges the dial and writes its row while the org is locked, so that two at once cannot both take the last slot.
   * `alsoInTransaction` keeps with it what belongs to the call.
   */
  async take<Kind extends DialKind>(
    asked: DialAsked<Kind>,
    alsoInTransaction: AlsoInTransaction<Kind> = async () => {},
  ): Promise<TakenDial<Kind>> {
    const scope = scopeOf(asked.caller, asked.agent)
    const to = asked.target ?? (await readCalled(asked.to))
    const decide = async (tx: Transaction): Promise<TakenDial<Kind> | Refusal> => {
      const facts = await this.#facts(tx, asked, scope, to)
      const refusal = firstRefusal(judgeDial(facts))
      const row = rowOf(asked, scope, facts)
      if (refusal) {
        store.insertDial(tx, { ...row, outcome: 'refused', ...refusal })
        tx.afterCommit(() => this.#parts.onDecided?.(scope.env, refusal.reason))
        return new Refusal(refusal.status, refusal.detail).as(codeOfReason[refusal.reason])
      }
      const taken = takenBy(asked, scope, facts, row)
      const status = asked.kind === 'dial' ? 202 : 200
      store.insertDial(tx, { ...row, call: taken.call, outcome: 'taken', status, reason: null })
      await alsoInTransaction(tx, taken)
      tx.afterCommit(() => this.#parts.onDecided?.(scope.env, 'taken'))
      return taken
    }
    const decided = await this.#lockingOrg(scope, decide).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error
      return this.#writeUnopened(asked, scope, to, error)
    })
    if (decided instanceof Refusal) throw decided
    return decided
  }

  /** What is to be dialled: a number, or an extension of a SIP account. */
  read({ org, env }: Caller, { to, extension, account, from }: ExplainAsked) {
    if (extension !== undefined && to !== undefined) throw badRequest('name to or an extension, not both')
    if (extension !== undefined)
      return readDialledExtension(this.#parts.database, { org, env, extension, account, from })
    if (to === undefined) throw unprocessable('to: is required')
    return readCalled(to)
  }

  /** Runs the same guards, and keeps nothing. */
  async explain(caller: Caller, agent: string, wanted: ExplainAsked): Promise<ExplainedDial> {
    const scope = scopeOf(caller, agent)
    const { to, from } = wanted
    const called = await this.read(caller, { ...wanted, ...(to !== undefined && { to: numberInQuery(to) }) })
    const asked: DialAsked = { kind: 'dial', caller, agent, to: called.number }
    if (from !== undefined) asked.from = numberInQuery(from)
    const facts = await this.#facts(this.#parts.database, asked, scope, called)
    const guards = judgeDial(facts)
    const refusal = firstRefusal(guards)
    return {
      to: called.number,
      from: fromOf(asked, facts),
      agent,
      env: scope.env,
      at: facts.now.getTime() / secondMs,
      would: refusal ? 'refuse' : 'pass',
      status: refusal?.status ?? 202,
      reason: refusal?.reason ?? null,
      detail: refusal?.detail ?? null,
      guards,
    }
  }

  /** It passed the guards, and the call was refused for another reason, such as the quota of calls at once. */
  async #writeUnopened(
    asked: DialAsked,
    scope: SettingsScope,
    to: CalledNumber,
    refusal: Refusal,
  ): Promise<Refusal> {
    await this.#lockingOrg(scope, async (tx) => {
      const facts = await this.#facts(tx, asked, scope, to)
      const row = rowOf(asked, scope, facts)
      store.insertDial(tx, { ...row, outcome: 'refused', status: refusal.status, reason: 'not_opened' })
      tx.afterCommit(() => this.#parts.onDecided?.(scope.env, 'not_opened'))
    })
    return refusal
  }

  #lockingOrg<T>({ org }: SettingsScope, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#parts.database.transactionHolding(store.lockingOrg(org), work)
  }

  async #facts(
    database: Queryable,
    { kind, caller, from, isConsentSent = false, isOwnNumber = false }: DialAsked,
    scope: SettingsScope,
    to: CalledNumber,
  ): Promise<DialFacts> {
    const { clock, gateways } = this.#parts
    const now = clock.now()
    const row = await store.readFacts(database, {
      scope,
      to: asKept(to.number),
      member: caller.kind === 'person' ? caller.subject : null,
      minuteAgo: later(now, -minuteMs),
      dayAgo: later(now, -dayMs),
      alive: gateways.alive,
    })
    if (!row) throw notFound(`there is no org ${scope.org}`)
    return {
      kind,
      agent: scope.agent,
      env: scope.env,
      now,
      to,
      from,
      numbers: to.peer ? numbersAt(to.peer.account, row.numbers) : row.numbers,
      isHeld: row.is_held,
      isKnown: row.is_known || isOwnNumber,
      standing: standingOf(row.standing?.fact),
      fact: row.standing?.row ?? null,
      isConsentSent,
      isOwnPhone: row.is_own_phone || isOwnNumber,
      guards: effectiveGuards(row),
      counts: { minute: row.in_minute, day: row.in_day, number: row.to_number },
    }
  }
}

const standings = { consent: 'consented', opt_out: 'opted_out' } as const
const standingOf = (fact: keyof typeof standings | undefined) => (fact ? standings[fact] : 'unknown')

/** Cut, so that any text that was sent as a number fits a row. */
const asKept = (number: string) => cutToLine(number, '')

/** The caller who asked, as rows name them. */
const byOf = ({ kind, subject, label }: Caller) => (kind === 'person' ? subject : label)

/** Also if nothing is dialled from it. */
function fromOf({ kind, from }: DialAsked, { numbers }: DialFacts): string | null {
  if (kind === 'transfer') return null
  return from === undefined ? (numbers[0]?.number ?? null) : asKept(from)
}

const rowOf = (asked: DialAsked, { org, env, agent }: SettingsScope, facts: DialFacts) => ({
  id: newId('dial', 12),
  org,
  env,
  agent,
  kind: asked.kind,
  to: asKept(facts.to.number),
  from: fromOf(asked, facts),
  call: asked.call ?? null,
  by: byOf(asked.caller),
  at: facts.now,
})

function takenBy<Kind extends DialKind>(
  asked: DialAsked<Kind>,
  scope: SettingsScope,
  { from, numbers, guards }: DialFacts,
  { id, to, by, at }: ReturnType<typeof rowOf>,
): TakenDial<Kind> {
  const dialledFrom = asked.kind === 'transfer' ? null : chosenFrom(numbers, from)
  // The guard of `from` let it pass, so that it is there and lives in an account.
  const proven = dialledFrom as TakenDial<Kind>['from']
  return { ...scope, id, call: asked.call ?? newCallId(), to, from: proven, by, at, guards }
}

/** An extension is one account's: it is dialled from numbers there, and through no other account. */
const numbersAt = (account: string, numbers: readonly FromNumber[]): FromNumber[] =>
  numbers.filter((one) => one.account === account).map((one) => ({ ...one, fallback_accounts: [] }))
