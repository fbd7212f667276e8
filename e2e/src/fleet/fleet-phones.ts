import { setTimeout as pause } from 'node:timers/promises'
import type { Lasting } from '@switchroom/launcher/testing/folders'
import type { Chance } from '../chance.ts'
import { Phone } from '../spoken-phone.ts'
import { spokenAgent } from './fleet-chats.ts'
import type { Fleet } from './fleet.ts'
import type { MortalWorker } from './mortals.ts'

const answeredWithinMs = 10_000
/** Long, for a slow machine; a phone whose worker is gone waits no longer. */
const spokenToWithinMs = 20_000

/** People who call the agent at either worker, hear its greeting and hang up; each call from a number of its own. */
export class FleetPhones {
  /** The numbers whose call was answered. */
  readonly answered: string[] = []
  /** How many of them heard the greeting before they hung up. */
  greeted = 0
  readonly refused: string[] = []
  readonly #t: Lasting
  readonly #fleet: Fleet
  readonly #chance: Chance
  #called = 0

  constructor(t: Lasting, fleet: Fleet, chance: Chance) {
    this.#t = t
    this.#fleet = fleet
    this.#chance = chance
  }

  async call(isOver: () => boolean) {
    while (!isOver()) {
      const worker = this.#chance.oneOf(this.#fleet.workers)
      if (worker.isUp) await this.#callAt(worker)
      await pause(500)
    }
  }

  async #callAt(worker: MortalWorker) {
    const from = `+1555${String((this.#called += 1)).padStart(7, '0')}`
    const options = { from, signal: AbortSignal.timeout(answeredWithinMs) }
    const phone = await Phone.call(this.#t, spokenAgent, worker.sipPort, options).catch((error: Error) => {
      this.refused.push(error.message)
    })
    if (!phone) return
    this.answered.push(from)
    const givenUp = Date.now() + spokenToWithinMs
    while (!phone.wasSpokenTo() && worker.isUp && Date.now() < givenUp) await pause(100)
    if (phone.wasSpokenTo()) this.greeted += 1
    await pause(this.#chance.below(1500))
    await Promise.race([phone.hangUp().catch(() => {}), pause(2000)]) // its worker may be gone
  }
}
