import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { openEvents } from '@switchroom/sdk/log-request'
import type { Chance } from '../chance.ts'
import type { Fleet } from './fleet.ts'
import { spokenAgent } from './fleet-chats.ts'

/** Follows a call's log through the proxy up to its end, resuming after the last entry it has. */
export class Reader {
  readonly done: Promise<void>
  readonly #fleet: Fleet
  readonly #call: string
  readonly #faults: string[] = []
  #seen = 0

  constructor(fleet: Fleet, call: string) {
    this.#fleet = fleet
    this.#call = call
    this.done = this.#follow()
  }

  /** It had every entry, once and in order. */
  async assertGapless(entries: number) {
    await this.done
    assert.deepEqual([this.#faults, this.#seen], [[], entries], `a reader of ${this.#call}`)
  }

  async #follow() {
    const { url, key } = this.#fleet.address
    const headers = { authorization: `Bearer ${key}` }
    const path = `/v1/calls/${this.#call}/events`
    for (let isEnded = false; !isEnded && !this.#fleet.isOver; await pause(100))
      try {
        const events = await openEvents({ url, path, headers }, this.#seen)
        for await (const { type, seq } of events) {
          if (type === 'log.gap') this.#faults.push(`a gap after ${this.#seen}`)
          if (seq === undefined) continue
          if (seq !== this.#seen + 1) this.#faults.push(`${seq} came after ${this.#seen}`)
          this.#seen = seq
          isEnded ||= type === 'call.ended'
        }
      } catch {
        // the gateway or the proxy is gone: it is asked again
      }
  }
}

/** A worker of the org's own that appends to a call in numbered batches, as a spoken call does. */
export class Appender {
  readonly call: string
  readonly #fleet: Fleet
  readonly #chance: Chance
  readonly #answered: string[] = []

  private constructor(fleet: Fleet, call: string, chance: Chance) {
    this.#fleet = fleet
    this.call = call
    this.#chance = chance
  }

  static async open(fleet: Fleet, chance: Chance): Promise<Appender> {
    const { call } = await fleet.insist<{ call: string }>('POST', '/v1/calls', { agent: spokenAgent })
    return new Appender(fleet, call, chance)
  }

  async append(isOver: () => boolean) {
    for (let batch = 1; ; batch += 1) {
      const isLast = isOver()
      const texts = Array.from({ length: 1 + this.#chance.below(3) }, (_, at) => `${batch}.${at}`)
      const said = texts.map((text) => ({
        type: 'agent.message',
        data: { text, messageId: `m_${this.call}_${text}` },
      }))
      const ended = isLast ? [{ type: 'call.ended', data: { reason: 'hangup' } }] : []
      const entries = [...said, ...ended]
      await this.#fleet.insist('POST', `/v1/calls/${this.call}/events`, { entries, batch })
      this.#answered.push(...texts)
      if (isLast) return
      await pause(this.#chance.below(800))
    }
  }

  /** Every batch that was answered is in the log, once. */
  assertWhole(textsOf: (type: string) => string[]) {
    assert.deepEqual(textsOf('agent.message'), this.#answered, `what was appended to ${this.call}`)
  }
}
