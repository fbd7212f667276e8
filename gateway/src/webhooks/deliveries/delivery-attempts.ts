import type { Logger } from 'pino'
import type { Database } from '../../database/database.ts'
import type { GatewayMeters } from '../../database/room.ts'
import { later, secondMs, type Clock } from '../../foundation/clock.ts'
import type { PublicAddresses } from '../../foundation/public-addresses.ts'
import type { Vault } from '../../foundation/sealing.ts'
import { version } from '../../foundation/version.ts'
import type { Check } from '../../database/due-checks.ts'
import type { WebhookEndpoints } from '../endpoints/endpoints.ts'
import type { Payloads } from '../events/payloads.ts'
import { signedHeaders } from '../signing/signature.ts'
import { SigningSecrets } from '../signing/signing-secrets.ts'
import { post } from './https-post.ts'
import * as store from './queue.store.ts'
import { retryAt } from './retry-times.ts'

export type ClaimedDelivery = store.ClaimedDelivery

/** A receiver answers within this. */
const answeredWithinMs = 10 * secondMs
/** Longer than an attempt may take: what is claimed for longer was claimed by a gateway that died. */
const claimMs = 20 * secondMs

export interface DeliveryAttemptParts {
  database: Database
  clock: Clock
  logger: Logger
  vault: Vault
  meters: GatewayMeters
  publicAddresses: PublicAddresses
  endpoints: WebhookEndpoints
  payloads: Payloads
  /** This gateway's name. */
  gateway: string
}

/** Takes deliveries from the queue that all gateways share, and attempts them. */
export class DeliveryAttempts {
  readonly #parts: DeliveryAttemptParts

  constructor(parts: DeliveryAttemptParts) {
    this.#parts = parts
  }

  /** Whether one waits. */
  get due(): Check {
    return store.dueCheck(this.#parts.clock.now())
  }

  /** So that no other gateway attempts it at the same time, unless this one dies. */
  claim(exceptEndpoints: readonly string[]): Promise<ClaimedDelivery | undefined> {
    const { database, clock, gateway } = this.#parts
    const now = clock.now()
    return store.claimDelivery(database, now, later(now, claimMs), exceptEndpoints, gateway)
  }

  async attempt(claimed: ClaimedDelivery, stopping: AbortSignal): Promise<void> {
    const { database, endpoints } = this.#parts
    const endpoint = await store.findEndpoint(database, claimed.endpoint)
    if (!endpoint) return void (await store.deleteDelivery(database, claimed.ordinal))
    if (endpoint.paused_at !== null) return endpoints.hold(endpoint.id)
    const body = await this.#bodyOf(claimed)
    if (body === undefined) return this.#giveUp(claimed, 'what it told of is no longer kept')
    const outcome = await this.#send(endpoint, claimed.event, body, stopping)
    if (outcome.error === null) return this.#delivered(claimed, endpoint, outcome)
    if (stopping.aborted) return this.#release(claimed)
    return this.#failed(claimed, endpoint, outcome)
  }

  async #bodyOf({ event: id }: ClaimedDelivery): Promise<string | undefined> {
    const { database, payloads } = this.#parts
    const event = await store.findEvent(database, id)
    if (!event || event.body !== null) return event?.body ?? undefined
    const body = await payloads.bodyOf(event)
    return body === undefined ? undefined : store.keepBody(database, id, body)
  }

  async #send(
    endpoint: store.ToldEndpoint,
    event: string,
    body: string,
    stopping: AbortSignal,
  ): Promise<store.Outcome> {
    const { clock, vault, publicAddresses } = this.#parts
    const at = clock.now()
    const secrets = SigningSecrets.opened(vault, endpoint.id, endpoint.sealed).at(at)
    const signedAtS = Math.floor(at.getTime() / secondMs)
    const headers = signedHeaders(secrets, event, signedAtS, body)
    const begunMs = performance.now()
    const late = AbortSignal.timeout(answeredWithinMs)
    const sent = { 'user-agent': `Switchroom/${version}`, ...headers }
    const outcome = await post(
      publicAddresses,
      endpoint.url,
      sent,
      body,
      AbortSignal.any([late, stopping]),
    ).then(
      ({ status, text }) => ({ status, answer: text, error: refusalIn(status) }),
      (error: Error) => ({
        status: null,
        answer: null,
        error: late.aborted ? `no answer within ${answeredWithinMs / secondMs} seconds` : sentenceOf(error),
      }),
    )
    const durationMs = Math.round(performance.now() - begunMs)
    return { at, durationMs, signedAtS, signature: headers['webhook-signature'], ...outcome }
  }

  async #delivered(claimed: ClaimedDelivery, { id }: store.ToldEndpoint, outcome: store.Outcome) {
    const { database, clock } = this.#parts
    this.#measure('delivered', outcome)
    await store.keepDelivered(database, claimed, outcome, clock.now())
    await store.noteSuccess(database, id, clock.now())
  }

  async #failed(claimed: ClaimedDelivery, endpoint: store.ToldEndpoint, outcome: store.Outcome) {
    const { database, clock, endpoints, gateway: sender } = this.#parts
    const now = clock.now()
    const again = retryAt(claimed.attempts, new Date(claimed.created_at), now)
    this.#measure(again ? 'retried' : 'given_up', outcome)
    if (!(await store.keepFailed(database, claimed, outcome, { sender, retryAt: again, now }))) return
    const since = await store.noteFailure(database, endpoint.id, now)
    if (since !== undefined) await endpoints.failed(endpoint, new Date(since))
  }

  async #giveUp(claimed: ClaimedDelivery, error: string) {
    const { database, clock, gateway: sender } = this.#parts
    const now = clock.now()
    const nothing = { at: now, durationMs: 0, signedAtS: null, signature: null, status: null, answer: null }
    await store.keepFailed(database, claimed, { ...nothing, error }, { sender, retryAt: undefined, now })
  }

  /** A gateway that stops is no failure of the receiver's. */
  async #release(claimed: ClaimedDelivery) {
    const { database, clock, gateway } = this.#parts
    await store.releaseDelivery(database, claimed, gateway, clock.now())
  }

  #measure(result: 'delivered' | 'retried' | 'given_up', { durationMs }: store.Outcome) {
    const { meters } = this.#parts
    meters.count('switchroom_webhook_attempts_total', [result])
    meters.observe('switchroom_webhook_attempt_seconds', durationMs / secondMs)
  }
}

/** Null if the receiver took it. */
function refusalIn(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400
    ? `it answered ${status}, and no redirect is followed: enter the address it leads to`
    : `it answered ${status}`
}

/** A connection that ends without an answer gives an error without a message. */
const sentenceOf = (error: Error & { code?: string }) =>
  (error.message || error.code || 'the connection failed').slice(0, 500)
