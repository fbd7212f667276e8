import type { Entry } from '@switchroom/contract/log'
import type { Logger } from 'pino'
import type { TestCallRecord, TestCalls } from '../../calls/written/test-calls.ts'
import type { Database } from '../../database/database.ts'
import type { Check } from '../../database/due-checks.ts'
import { later, minuteMs, secondMs, type Clock } from '../../foundation/clock.ts'
import { conflict, Refusal } from '../../foundation/refusals.ts'
import { answerTimes, creditsIn, endOf, textIn } from '../expectations/call-facts.ts'
import { verdictOf } from '../expectations/expectations.ts'
import type { RunNotices } from '../runs/run-notices.ts'
import * as store from './attempts.store.ts'
import { TestBroken, WrittenTest } from './written-test.ts'

export type ClaimedAttempt = store.ClaimedAttempt

/** What is claimed for longer was claimed by a gateway that died. */
const claimMs = 15 * secondMs
const renewEveryMs = 4 * secondMs
/** What may pass by itself, such as an app that reconnects or a quota that is full for a moment, has this long. */
const opensWithinMs = 2 * minuteMs
const againMs = 2 * secondMs
const passing = new Set(['AGENT_OFFLINE', 'QUOTA_EXCEEDED', 'RATE_LIMITED'])

export interface AttemptsParts {
  database: Database
  clock: Clock
  logger: Logger
  runNotices: RunNotices
  testCalls: TestCalls
  /** This gateway's name. */
  gateway: string
}

/** Takes calls of runs from the queue that all gateways share, and holds them. */
export class Attempts {
  readonly #parts: AttemptsParts

  constructor(parts: AttemptsParts) {
    this.#parts = parts
  }

  /** Whether one waits. */
  get due(): Check {
    return store.dueCheck(this.#parts.clock.now())
  }

  /** One that another gateway left comes first. */
  async claim(): Promise<ClaimedAttempt | undefined> {
    const { database, clock, gateway } = this.#parts
    const now = clock.now()
    const until = later(now, claimMs)
    const adopted = await store.adoptAbandoned(database, now, gateway, until)
    if (adopted) return adopted
    return database.transaction(async (tx) => {
      const run = await store.lockFreeRun(tx, now)
      return run && store.claimNext(tx, run.id, gateway, until, now)
    })
  }

  /** Holds its call and keeps what came of it, unless another gateway has it or somebody cancelled it meanwhile. */
  async hold(claimed: ClaimedAttempt, stopping: AbortSignal): Promise<void> {
    const lost = new AbortController()
    const renewing = setInterval(() => void this.#renew(claimed, lost), renewEveryMs)
    try {
      const record = await this.#callOf(claimed)
      if (record) await this.#heldWith(claimed, record, AbortSignal.any([stopping, lost.signal]))
    } catch (error) {
      if (stopping.aborted) return this.#release(claimed)
      if (!lost.signal.aborted) await this.#failed(claimed, error)
    } finally {
      clearInterval(renewing)
    }
  }

  async #renew(claimed: ClaimedAttempt, lost: AbortController) {
    const { database, clock } = this.#parts
    const holds = await store.renewClaim(database, claimed, later(clock.now(), claimMs)).catch(() => true)
    if (!holds) lost.abort()
  }

  /** Opened once, whichever gateway has the attempt; undefined if it is to be opened later. */
  async #callOf(claimed: ClaimedAttempt): Promise<TestCallRecord | undefined> {
    const { testCalls, clock } = this.#parts
    if (claimed.call !== null) {
      const found = await testCalls.find(claimed.call)
      if (!found) throw new TestBroken('its call was deleted meanwhile')
      return found
    }
    const { org, slug, env, agent, holder, settings, definition } = claimed
    try {
      return await testCalls.open(
        { org, slug, env },
        { org, env, agent, holder },
        {
          settings,
          metadata: definition.metadata ?? {},
          alsoInTransaction: async (tx, call) => {
            if (!(await store.keepCall(tx, claimed, call))) throw conflict('another gateway has this attempt')
          },
        },
      )
    } catch (error) {
      const sinceMs = clock.now().getTime() - Date.parse(claimed.begun_at)
      const mayPass = error instanceof Refusal && passing.has(error.apiCode ?? '') && sinceMs < opensWithinMs
      if (!mayPass) throw error
      await this.#postpone(claimed)
      return undefined
    }
  }

  async #heldWith(claimed: ClaimedAttempt, record: TestCallRecord, signal: AbortSignal) {
    const { testCalls } = this.#parts
    const { definition } = claimed
    try {
      const entries = await new WrittenTest(this.#parts, record, definition).held(signal)
      await this.#settle(claimed, settledBy(definition.expect, entries))
    } catch (error) {
      if (error instanceof TestBroken || (await this.#isCancelled(claimed, signal)))
        await testCalls.hangUp(record)
      throw error
    }
  }

  /** Nobody has the attempt any more: nobody else would end its call. */
  async #isCancelled({ run }: ClaimedAttempt, signal: AbortSignal): Promise<boolean> {
    if (!signal.aborted) return false
    const found = await this.#parts.database.transaction((tx) => store.lockRun(tx, run))
    return found?.state !== 'running'
  }

  async #failed(claimed: ClaimedAttempt, error: unknown) {
    const isKnown = error instanceof TestBroken || error instanceof Refusal
    if (!isKnown) this.#parts.logger.error({ err: error, attempt: claimed.id }, 'a test call failed')
    const why = isKnown ? error.message : 'something broke on our side'
    await this.#settle(claimed, { outcome: 'error', why, verdicts: [], latencies: [], credits: 0 })
  }

  async #settle(claimed: ClaimedAttempt, settled: store.Settled) {
    const { database, clock, runNotices } = this.#parts
    await database.transaction(async (tx) => {
      await store.lockRun(tx, claimed.run)
      await store.settleAttempt(tx, claimed, settled, clock.now())
    })
    runNotices.send(claimed.run)
  }

  async #postpone(claimed: ClaimedAttempt) {
    const { database, clock } = this.#parts
    await database.transaction(async (tx) => {
      await store.lockRun(tx, claimed.run)
      await store.postpone(tx, claimed, later(clock.now(), againMs))
    })
  }

  async #release(claimed: ClaimedAttempt) {
    const { database, clock, runNotices } = this.#parts
    await store.releaseClaim(database, claimed, clock.now())
    runNotices.send(claimed.run)
  }
}

function settledBy(expect: ClaimedAttempt['definition']['expect'], entries: readonly Entry[]): store.Settled {
  const latencies = answerTimes(entries).map(({ ms }) => ms)
  const credits = creditsIn(entries)
  const verdicts = expect.map((one) => verdictOf(one, entries))
  if (endOf(entries)?.by === 'failure' && !expect.some(({ ended_by }) => ended_by === 'failure')) {
    const error = entries.findLast(({ type }) => type === 'error')
    const why = textIn(error?.data['detail']) || 'the call ended by a failure'
    return { outcome: 'error', why, verdicts, latencies, credits }
  }
  const isPassed = verdicts.every(({ answer }) => answer === 'yes')
  return { outcome: isPassed ? 'passed' : 'failed', why: null, verdicts, latencies, credits }
}
