import type { Client } from '../client.ts'
import { fleetKey, type Deployment } from '../deployment.ts'
import { answeredSdp } from '../http/browser.ts'
import { until } from '../until.ts'
import { Unanswered } from './race-findings.ts'

const steps = [
  { step: 'location', state: 'ok', says: 'the name is known', fix: null, took_ms: 1 },
  { step: 'options', state: 'ok', says: 'it answers', fix: null, took_ms: 1 },
]

/**
 * The platform's workers: in the sandbox one answers whatever is offered; in production one only takes, and an operation
 * says what became of it.
 */
export class RaceCrew {
  readonly #taken = new Map<string, string>()
  readonly #running: Promise<void>[]
  readonly #unanswered: Unanswered
  #isStopping = false

  constructor([first, other]: readonly [Deployment, Deployment], unanswered: Unanswered) {
    this.#unanswered = unanswered
    const fleet = ({ anonymous }: Deployment) => anonymous.as(fleetKey)
    this.#running = [
      this.#work(fleet(first).in('sandbox'), 'crew-1', (client, taken) => answer(client, 'crew-1', taken)),
      this.#work(fleet(other).in('production'), 'crew-2', async (_client, { placement }) => {
        if (placement) this.#taken.set(placement.call, 'crew-2')
      }),
    ]
  }

  /** The worker that has taken this call to dial it. */
  takenBy(call: string): Promise<string> {
    return until(`a worker takes ${call}`, () => this.#taken.get(call))
  }

  async stop() {
    this.#isStopping = true
    await Promise.all(this.#running)
  }

  async #work(client: Client, worker: string, handle: (client: Client, taken: Taken) => Promise<void>) {
    while (!this.#isStopping) {
      const body = { worker, wait_s: 1, tests: true }
      try {
        const { body: taken } = await client.post('/v1/worker/placements', body)
        await handle(client, taken)
      } catch (error) {
        if (!Unanswered.is(error)) throw error
        this.#unanswered.add(error)
      }
    }
  }
}

interface Taken {
  placement: { call: string } | null
  offer: { call: string } | null
  test?: { id: string }
}

async function answer(client: Client, worker: string, { placement, offer, test }: Taken) {
  if (placement) await client.post(`/v1/worker/placements/${placement.call}`, { worker, outcome: 'answered' })
  if (test) await client.post(`/v1/worker/trunk-tests/${test.id}`, { worker, steps })
  if (!offer) return
  await client.post('/v1/worker/calls', { call: offer.call, worker })
  await client.post(`/v1/worker/offers/${offer.call}`, { worker, sdp: answeredSdp })
}
