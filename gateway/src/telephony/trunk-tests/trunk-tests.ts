import type { TestedTrunk, TestTrunk, TrunkTestStep, TrunkTestTask } from '@switchroom/contract/trunk-tests'
import type { OutboundTrunk } from '@switchroom/media/plane'
import type { Database } from '../../database/database.ts'
import { outsideList, type Caller } from '../../foundation/caller.ts'
import { minuteMs, type Clock } from '../../foundation/clock.ts'
import { conflict, forbidden, notFound, Refusal, unavailable } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import { cutToLine } from '../../foundation/text.ts'
import type { RateCounts } from '../../http/rate-counts.ts'
import type { CarrierAccounts } from '../carriers/accounts.ts'
import type { DialDecisions, TakenDial } from '../dialling/dial-decisions.ts'
import { resultIn } from '../worker-offers/placement-offers.ts'
import type { TestReport, TrunkTestOffers } from '../worker-offers/trunk-test-offers.ts'
import { guardsStep, notCalled, registrationStep, testedBy, untoldStep } from './test-steps.ts'
import * as store from './trunk-tests.store.ts'

/** A worker gives every address a few seconds. */
const probedWithinS = 45
/** It rings for 45 seconds; then sound is listened for. */
const calledWithinS = 75
const perMinute = { name: 'trunk tests', tries: 10, windowMs: minuteMs }

export interface TrunkTestsParts {
  database: Database
  clock: Clock
  rateCounts: RateCounts
  accounts: CarrierAccounts
  dialDecisions: DialDecisions
  trunkTestOffers: TrunkTestOffers
  trunkOf: (org: string, account: string) => Promise<OutboundTrunk | undefined>
  /** Whether workers carry the environment's calls themselves, and no media server does. */
  isEmbedded: (env: Caller['env']) => boolean
}

/** Who is called, and from which number of the account. */
interface TestCall {
  to: string
  from: store.AccountNumber
}

/** Tests of trunks, step by step: the first that fails is named, with what to do about it. */
export class TrunkTests {
  readonly #parts: TrunkTestsParts

  constructor(parts: TrunkTestsParts) {
    this.#parts = parts
  }

  async run(
    caller: Caller,
    named: string | undefined,
    body: TestTrunk,
    gone: AbortSignal,
  ): Promise<TestedTrunk> {
    const { accounts, rateCounts, isEmbedded } = this.#parts
    const { org, env } = caller
    const { account } = await accounts.findServing(org, 'phone', named)
    if (!isEmbedded(env))
      throw conflict(
        `calls of ${env} go out through a LiveKit server, which tests no trunks: test it in an environment whose workers dial themselves`,
      )
    const trunk = await this.#parts.trunkOf(org, account)
    if (!trunk) throw conflict(`${account} cannot be dialled yet: see GET /v1/carrier/outbound`)
    const call = await this.#callOf(caller, account, body)
    const sentence = `this org tested trunks ${perMinute.tries} times in the last minute: wait a minute`
    await rateCounts.admit(perMinute, [org], sentence)
    const task = { org, env, trunk }
    const steps = await this.#probe(task, gone)
    if (areWell(steps)) steps.push(registrationStep(await accounts.read(org, account)))
    if (areWell(steps))
      steps.push(...(call ? await this.#call(caller, account, task, call, gone) : [notCalled]))
    return testedBy(account, trunk.hostname, steps)
  }

  /** Undefined if nobody is to be called. */
  async #callOf(
    caller: Caller,
    account: string,
    { call: to, from }: TestTrunk,
  ): Promise<TestCall | undefined> {
    if (to === undefined) return undefined
    const { org, env, scopes, agents } = caller
    if (!scopes.includes('talk'))
      throw forbidden('this key does not open talk: a test that calls is a dial, leave out call')
    const number = await store.findNumber(this.#parts.database, { org, env, account }, from)
    if (!number && from !== undefined)
      throw notFound(`${cutToLine(from, 'an empty number')} is no phone number of ${account} in ${env}`)
    if (!number)
      throw conflict(`${account} has no number in ${env} to call from: import one with POST /v1/numbers`)
    if (agents.length > 0 && !agents.includes(number.agent)) throw outsideList(caller)
    return { to, from: number }
  }

  async #probe(task: Omit<TrunkTestTask, 'id'>, gone: AbortSignal): Promise<TrunkTestStep[]> {
    const report = await this.#run(task, probedWithinS, gone)
    return report === 'untold' ? [untoldStep('options')] : report.steps
  }

  /** It is a dial: judged by every guard and counted, before anything rings. */
  async #call(
    caller: Caller,
    account: string,
    task: Omit<TrunkTestTask, 'id'>,
    { to, from }: TestCall,
    gone: AbortSignal,
  ): Promise<TrunkTestStep[]> {
    const { database, dialDecisions, clock } = this.#parts
    const isOwnNumber = (await store.findOwn(database, to, caller.org, caller.env)) !== undefined
    const asked = { kind: 'dial', caller, agent: from.agent, to, from: from.number, isOwnNumber } as const
    const taken = await dialDecisions.take(asked).catch((error: unknown) => {
      if (error instanceof Refusal) return error
      throw error
    })
    if (taken instanceof Refusal) return [guardsStep(taken.message)]
    const report = await this.#runCall({ ...task, call: { to: taken.to, from: from.number } }, taken, gone)
    const told = report === 'untold' ? { outcome: 'dial_failed' as const } : report.dial
    await store.insertResult(
      database,
      taken.call,
      account,
      resultIn(told ?? { outcome: 'dial_failed' }),
      clock.now(),
    )
    return [guardsStep(null), ...(report === 'untold' ? [untoldStep('call')] : report.steps)]
  }

  async #runCall(task: Omit<TrunkTestTask, 'id'>, taken: TakenDial<'dial'>, gone: AbortSignal) {
    return this.#run(task, calledWithinS, gone).catch(async (error: unknown) => {
      const result = resultIn({ outcome: 'dial_failed', why: 'no worker took the call of the test' })
      const { database, clock } = this.#parts
      await store.insertResult(database, taken.call, taken.from.account, result, clock.now())
      throw error
    })
  }

  async #run(
    task: Omit<TrunkTestTask, 'id'>,
    withinS: number,
    gone: AbortSignal,
  ): Promise<Exclude<TestReport, 'untaken'>> {
    const report = await this.#parts.trunkTestOffers.run({ ...task, id: newId('test', 12) }, withinS, gone)
    if (report !== 'untaken') return report
    throw unavailable(
      `no worker with a phone line is connected in ${task.env}, or all are busy: start one, and test again`,
    )
  }
}

const areWell = (steps: readonly TrunkTestStep[]) => steps.every(({ state }) => state !== 'failed')
