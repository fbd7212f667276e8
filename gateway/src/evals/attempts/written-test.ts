import { setTimeout as pause } from 'node:timers/promises'
import type { ScenarioDefinition } from '@switchroom/contract/evals'
import type { Entry } from '@switchroom/contract/log'
import { isOpened } from '@switchroom/session/opening'
import type { FollowedLog } from '../../calls/written/followed-log.ts'
import type { TestCallRecord, TestCalls } from '../../calls/written/test-calls.ts'
import { stateOf } from '../../calls/written/written-call-state.ts'
import { secondMs, type Clock } from '../../foundation/clock.ts'
import { nextAct } from './scripted-caller.ts'

/** An agent that takes longer to answer never does. */
const answeredWithinMs = 150 * secondMs
/** A caller reads an answer first; an agent that hangs up has done so by then. */
const readingMs = 40

/** The call could not be held to its end. */
export class TestBroken extends Error {}

export interface WrittenTestParts {
  testCalls: TestCalls
  clock: Clock
}

/** Holds one written call as its scenario says, from wherever the log has got to. */
export class WrittenTest {
  readonly #parts: WrittenTestParts
  readonly #record: TestCallRecord
  readonly #definition: ScenarioDefinition
  readonly #log: FollowedLog
  #grown = Promise.withResolvers<void>()
  #isGreeted = false

  constructor(parts: WrittenTestParts, record: TestCallRecord, definition: ScenarioDefinition) {
    this.#parts = parts
    this.#record = record
    this.#definition = definition
    this.#log = parts.testCalls.follow(record, () => this.#grew())
  }

  /** The whole log, once the call has ended. Rejects with the signal's reason once it aborts. */
  async held(signal: AbortSignal): Promise<readonly Entry[]> {
    const { testCalls } = this.#parts
    try {
      await this.#log.start()
      this.#isGreeted = !(await testCalls.isGreetedByModel(this.#record, this.#definition.metadata ?? {}))
      for (let idleSinceMs = performance.now(); ;) {
        signal.throwIfAborted()
        const { entries } = this.#log
        if (stateOf(entries).isEnded) return entries
        if (!this.#isCallersTurn(entries)) {
          if (performance.now() - idleSinceMs > answeredWithinMs)
            throw new TestBroken(`the agent did not answer within ${answeredWithinMs / secondMs} seconds`)
          await this.#grownWithin(secondMs, signal)
          continue
        }
        await this.#act(signal)
        idleSinceMs = performance.now()
      }
    } finally {
      this.#log.stop()
    }
  }

  async #act(signal: AbortSignal) {
    const { testCalls, clock } = this.#parts
    await pause(readingMs, undefined, { signal })
    const { entries } = this.#log
    if (stateOf(entries).isEnded || !this.#isCallersTurn(entries)) return
    const act = nextAct(this.#definition.turns, entries, clock.now())
    if ('waitMs' in act) return this.#grownWithin(Math.min(act.waitMs, secondMs), signal)
    const { seq } = this.#log
    if ('hangUp' in act) await testCalls.hangUp(this.#record)
    else await testCalls.say(this.#record, act.say, act.id)
    while (this.#log.seq === seq) await this.#grownWithin(secondMs, signal)
  }

  /** Everything is answered, and nobody is greeting. */
  #isCallersTurn(entries: readonly Entry[]): boolean {
    const { waiting, isHeld } = stateOf(entries)
    this.#isGreeted ||= isOpened(entries)
    return this.#isGreeted && !isHeld && waiting.length === 0
  }

  #grew() {
    const { resolve } = this.#grown
    this.#grown = Promise.withResolvers()
    resolve()
  }

  async #grownWithin(ms: number, signal: AbortSignal) {
    const { promise } = this.#grown
    const waited = new AbortController()
    const timer = pause(ms, undefined, { signal: AbortSignal.any([signal, waited.signal]) })
    await Promise.race([promise, timer.catch(() => {})])
    waited.abort()
    signal.throwIfAborted()
  }
}
