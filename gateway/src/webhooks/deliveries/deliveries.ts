import { deliveryStates, webhookTestType } from '@switchroom/contract/webhook-names'
import type {
  DeliveriesAsked,
  DeliveryDetail,
  DeliveryPage,
  Redelivered,
  RedeliverFailed,
  TestedWebhook,
} from '@switchroom/contract/webhooks'
import { recordAudit } from '../../audit/recording.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { later, minuteMs, weekMs, type Clock } from '../../foundation/clock.ts'
import { cursorOf, placeIn } from '../../foundation/cursors.ts'
import { conflict, notFound, unprocessable } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import type { RateCounts } from '../../http/rate-counts.ts'
import type { EndpointRow, WebhookEndpoints } from '../endpoints/endpoints.ts'
import * as store from './deliveries.store.ts'
import { retriedForMs } from './retry-times.ts'

const testsAMinute = { name: 'webhook test', tries: 20, windowMs: minuteMs }
const usualLimit = 50
const highestLimit = 100
const mostTries = 100
const deletedAtOnce = 500
/** Bounds how long one run of the housekeeping takes. */
const mostRounds = 100

export interface DeliveriesParts {
  database: Database
  clock: Clock
  endpoints: WebhookEndpoints
  rateCounts: RateCounts
}

/** What was sent to an org's webhooks, for a week, and what is sent again. */
export class WebhookDeliveries {
  readonly #parts: DeliveriesParts

  constructor(parts: DeliveriesParts) {
    this.#parts = parts
  }

  async list(caller: Caller, id: string, asked: DeliveriesAsked): Promise<DeliveryPage> {
    const wanted = wantedBy(asked)
    const endpoint = await this.#parts.endpoints.find(caller, id)
    const rows = await store.listDeliveries(this.#parts.database, endpoint.id, {
      ...wanted,
      limit: wanted.limit + 1,
    })
    const deliveries = rows.slice(0, wanted.limit)
    const last = deliveries.at(-1)
    return { deliveries, next: last && rows.length > wanted.limit ? cursorOf(last.ordinal) : null }
  }

  async read(caller: Caller, id: string, event: string): Promise<DeliveryDetail> {
    const { database, endpoints } = this.#parts
    await endpoints.find(caller, id)
    const delivery = await store.findDelivery(database, id, event)
    if (!delivery) throw unknown(id, event)
    const tries = await store.listAttempts(database, delivery.ordinal, mostTries)
    return { ...delivery, tries: tries.toReversed().map((row) => triedOf(event, row)) }
  }

  /** With the same id, so that a receiver that has it knows. */
  async redeliver(caller: Caller, id: string, event: string): Promise<DeliveryDetail> {
    const { database, clock, endpoints } = this.#parts
    const endpoint = await endpoints.find(caller, id)
    await database.transaction(async (tx) => {
      await this.#lockUnpaused(tx, endpoint)
      if (!(await store.findDelivery(tx, id, event))) throw unknown(id, event)
      if (!(await store.redeliver(tx, id, event, clock.now())))
        throw conflict(`${event} is being sent at this moment: wait for its answer`)
      await recordAudit(tx, caller, 'webhook.redelivered', targetOf(endpoint), { detail: { event } })
    })
    return this.read(caller, id, event)
  }

  async redeliverFailed(caller: Caller, id: string, { since }: RedeliverFailed): Promise<Redelivered> {
    const { database, clock, endpoints } = this.#parts
    const from = timeOf(since)
    const endpoint = await endpoints.find(caller, id)
    return database.transaction(async (tx) => {
      await this.#lockUnpaused(tx, endpoint)
      const deliveries = await store.redeliverFailed(tx, id, from, clock.now())
      const detail = { deliveries, since: since ?? null }
      await recordAudit(tx, caller, 'webhook.redelivered', targetOf(endpoint), { detail })
      return { deliveries }
    })
  }

  /** Sends an event that tells of nothing, through the same queue. */
  async test(caller: Caller, id: string): Promise<TestedWebhook> {
    const { database, clock, endpoints, rateCounts } = this.#parts
    const endpoint = await endpoints.find(caller, id)
    await rateCounts.admit(
      testsAMinute,
      [caller.org],
      'this org tested webhooks twenty times in a minute: wait a little before the next',
    )
    const event = { id: newId('evt', 16), type: webhookTestType, source: testSource }
    await database.transaction(async (tx) => {
      await this.#lockUnpaused(tx, endpoint)
      await store.insertTest(tx, endpoint, event, clock.now())
    })
    return { event: event.id }
  }

  async deleteExpired(database: Database): Promise<void> {
    const now = this.#parts.clock.now()
    await store.expirePaused(database, later(now, -retriedForMs), now)
    for (let round = 0; round < mostRounds; round += 1)
      if ((await store.deleteOldEvents(database, later(now, -weekMs), deletedAtOnce)) === 0) return
  }

  async #lockUnpaused(tx: Transaction, { id, env }: EndpointRow) {
    const locked = await store.lockEndpoint(tx, id)
    if (!locked) throw notFound(`this org has no webhook ${id} in ${env}`)
    if (locked.paused_at !== null) throw conflict(`webhook ${id} is paused: resume it first`)
  }
}

const testSource = JSON.stringify({ note: 'a test: it tells of nothing that happened' })

const targetOf = ({ id, url }: EndpointRow) => ({ kind: 'webhook', id, label: new URL(url).host }) as const

const unknown = (id: string, event: string) =>
  notFound(`webhook ${id} has no delivery of ${event}: deliveries are kept for seven days`)

const triedOf = (event: string, { signed_at, signature, ...attempt }: store.AttemptRow) => ({
  ...attempt,
  headers:
    signed_at === null || signature === null
      ? {}
      : {
          'webhook-id': event,
          'webhook-timestamp': String(signed_at),
          'webhook-signature': signature,
        },
})

function wantedBy({ state, call, after, limit }: DeliveriesAsked): store.Wanted {
  if (state !== undefined && !deliveryStates.some((known) => known === state))
    throw unprocessable(`state: must be one of ${deliveryStates.join(', ')}`)
  const [before] = after === undefined ? [Number.MAX_SAFE_INTEGER] : placeIn(after, 'whole')
  return { before, state: state ?? null, call: call ?? null, limit: limitOf(limit) }
}

function limitOf(said: string | undefined): number {
  if (said === undefined) return usualLimit
  if (!/^[1-9]\d{0,2}$/.test(said) || Number(said) > highestLimit)
    throw unprocessable(`limit: must be a whole number from 1 to ${highestLimit}`)
  return Number(said)
}

function timeOf(since: string | undefined): string {
  if (since === undefined) return '-infinity'
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d/i.test(since) ? new Date(since) : undefined
  if (!at || Number.isNaN(at.getTime()))
    throw unprocessable('since: must be a time, such as 2026-01-31T09:00:00Z')
  return at.toISOString()
}
