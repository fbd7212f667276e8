import { mostWebhooks } from '@switchroom/contract/webhook-names'
import type {
  ChangeWebhook,
  CreatedWebhook,
  CreateWebhook,
  RotateSecret,
  Webhook,
  WebhookList,
} from '@switchroom/contract/webhooks'
import { changedFields, recordAudit, system } from '../../audit/recording.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { dayMs, later, secondMs, weekMs, type Clock } from '../../foundation/clock.ts'
import { HostRefused, type PublicAddresses } from '../../foundation/public-addresses.ts'
import { badRequest, conflict, notFound } from '../../foundation/refusals.ts'
import type { Vault } from '../../foundation/sealing.ts'
import { newId } from '../../foundation/secrets.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import { SigningSecrets } from '../signing/signing-secrets.ts'
import { fieldsOf, hostOf, isWithin, type EndpointFields } from './endpoint-fields.ts'
import * as store from './endpoints.store.ts'

/** An endpoint at which nothing succeeds for so long is paused. */
const pausedAfterMs = 3 * dayMs

export type EndpointRow = store.EndpointRow

export interface WebhookEndpointParts {
  database: Database
  clock: Clock
  vault: Vault
  publicAddresses: PublicAddresses
  orgs: Orgs
  privateHosts: readonly string[]
  /** Writes to the org's admins that an endpoint was paused. */
  tellPaused: (tx: Transaction, endpoint: EndpointRow) => Promise<void>
}

/** Where an org's events are sent, each endpoint in one environment. */
export class WebhookEndpoints {
  readonly #parts: WebhookEndpointParts

  constructor(parts: WebhookEndpointParts) {
    this.#parts = parts
  }

  async list(caller: Caller): Promise<WebhookList> {
    const rows = await store.listEndpoints(this.#parts.database, caller.org, caller.env)
    return { webhooks: rows.filter(({ agents }) => isWithin(caller, agents)).map((row) => this.#shown(row)) }
  }

  async read(caller: Caller, id: string): Promise<Webhook> {
    return this.#shown(await this.find(caller, id))
  }

  /** Refuses one that the caller may not see as if there were none. */
  async find(caller: Caller, id: string): Promise<EndpointRow> {
    const row = await store.findEndpoint(this.#parts.database, id, caller.org, caller.env)
    return within(caller, id, row)
  }

  async create(caller: Caller, wanted: CreateWebhook): Promise<CreatedWebhook> {
    const { database, clock, vault, orgs, privateHosts } = this.#parts
    const { org, env } = caller
    const fields = fieldsOf(caller, wanted, privateHosts)
    await this.#refuseUnreachable(fields)
    const id = newId('whk', 8)
    const secrets = SigningSecrets.made()
    return database.transaction(async (tx) => {
      await orgs.lock(tx, org) // held, so that two requests cannot both take the last one
      if ((await store.countEndpoints(tx, org, env)) >= mostWebhooks)
        throw conflict(`this org has ${mostWebhooks} webhooks in ${env}, the most: delete one first`)
      const sealed = secrets.sealed(vault, id)
      const row = kept(await store.insertEndpoint(tx, { id, org, env, sealed }, fields, clock.now()))
      await recordAudit(tx, caller, 'webhook.created', targetOf(row), { env, detail: audited(fields) })
      return { ...this.#shown(row), secret: secrets.newest }
    })
  }

  async change(caller: Caller, id: string, { paused, ...wanted }: ChangeWebhook): Promise<Webhook> {
    const { database, clock, privateHosts } = this.#parts
    const before = await this.find(caller, id)
    const fields = fieldsOf(caller, { ...fieldsIn(before), ...given(wanted) }, privateHosts)
    if (fields.url !== before.url) await this.#refuseUnreachable(fields)
    return database.transaction(async (tx) => {
      const locked = await this.#lock(tx, caller, id)
      if (!isSame(locked, before)) throw conflict(`webhook ${id} was changed by another request: try again`)
      let row = kept(await store.replaceFields(tx, id, fields, clock.now()))
      if (paused === true && locked.paused_at === null) row = await this.#pause(tx, id, 'person')
      if (paused === false && locked.paused_at !== null) row = await this.#resume(tx, id)
      const detail = changedFields(audited(locked), audited(row))
      await recordAudit(tx, caller, 'webhook.changed', targetOf(row), { env: caller.env, detail })
      return this.#shown(row)
    })
  }

  async remove(caller: Caller, id: string): Promise<void> {
    await this.find(caller, id)
    await this.#parts.database.transaction(async (tx) => {
      const row = await this.#lock(tx, caller, id)
      await store.deleteEndpoint(tx, id)
      await store.deleteDeliveries(tx, id)
      await recordAudit(tx, caller, 'webhook.deleted', targetOf(row), { env: caller.env })
    })
  }

  /** The older secrets sign too for a while, so that receivers can change over. */
  async rotate(caller: Caller, id: string, { older_for_s = 86_400 }: RotateSecret): Promise<CreatedWebhook> {
    const { database, clock, vault } = this.#parts
    if (older_for_s < 0 || older_for_s * secondMs > weekMs)
      throw badRequest(`older_for_s must be between 0 and 604800, a week (got ${older_for_s})`)
    return database.transaction(async (tx) => {
      const row = await this.#lock(tx, caller, id)
      const before = SigningSecrets.opened(vault, id, row.sealed)
      const secrets = before.rotated(clock.now(), older_for_s * secondMs)
      const changed = kept(await store.replaceSecrets(tx, id, secrets.sealed(vault, id), clock.now()))
      const detail = { older_for_s }
      await recordAudit(tx, caller, 'webhook.secret_rotated', targetOf(row), { env: caller.env, detail })
      return { ...this.#shown(changed), secret: secrets.newest }
    })
  }

  /** After a delivery failed; pauses an endpoint at which none has succeeded for days. */
  async failed({ id, org, env }: Pick<EndpointRow, 'id' | 'org' | 'env'>, since: Date): Promise<void> {
    const { database, clock, tellPaused } = this.#parts
    if (later(since, pausedAfterMs) > clock.now()) return
    await database.transaction(async (tx) => {
      const row = await store.lockEndpoint(tx, id, org, env)
      if (!row || row.paused_at !== null || row.failing_since === null) return
      const paused = await this.#pause(tx, id, 'failing')
      const detail = { failing_since: row.failing_since }
      await recordAudit(tx, { ...system, org }, 'webhook.paused', targetOf(row), { env, detail })
      await tellPaused(tx, paused)
    })
  }

  /** What was queued by a gateway that did not know of the pause. */
  async hold(id: string, database: Queryable = this.#parts.database): Promise<void> {
    await store.holdDeliveries(database, id)
  }

  async #pause(tx: Transaction, id: string, why: 'person' | 'failing'): Promise<EndpointRow> {
    const row = kept(await store.pauseEndpoint(tx, id, this.#parts.clock.now(), why))
    await this.hold(id, tx)
    return row
  }

  async #resume(tx: Transaction, id: string): Promise<EndpointRow> {
    const row = kept(await store.resumeEndpoint(tx, id))
    await store.freeDeliveries(tx, id, this.#parts.clock.now())
    return row
  }

  async #lock(tx: Transaction, caller: Caller, id: string): Promise<EndpointRow> {
    return within(caller, id, await store.lockEndpoint(tx, id, caller.org, caller.env))
  }

  /** At once, for a person to read; every delivery resolves and checks anew. */
  async #refuseUnreachable({ url }: EndpointFields) {
    await this.#parts.publicAddresses.addressesOf(hostOf(url)).catch((error: unknown) => {
      throw error instanceof HostRefused ? badRequest(`url: ${error.message}`) : error
    })
  }

  /** Every field is named here, so that a secret can never be among them. */
  #shown(row: EndpointRow): Webhook {
    const { vault, clock } = this.#parts
    const { paused_at, paused_why, failing_since } = row
    return {
      id: row.id,
      ...fieldsIn(row),
      state: paused_at !== null ? 'paused' : failing_since !== null ? 'failing' : 'active',
      paused_why,
      paused_at,
      failing_since,
      delivered_at: row.delivered_at,
      older_secret_until: SigningSecrets.opened(vault, row.id, row.sealed).olderUntil(clock.now()),
      created_at: row.created_at,
      changed_at: row.changed_at,
    }
  }
}

const fieldsIn = ({ url, description, types, agents }: EndpointFields): EndpointFields => ({
  url,
  description,
  types,
  agents,
})

/** A path or a query may hold a secret of the receiver's, so that the audit log has the host alone. */
const audited = (row: EndpointFields & Partial<Pick<EndpointRow, 'paused_at'>>) => ({
  host: new URL(row.url).host,
  description: row.description,
  types: row.types,
  agents: row.agents,
  paused: (row.paused_at ?? null) !== null,
})

const given = (wanted: ChangeWebhook): Partial<EndpointFields> =>
  Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))

const targetOf = ({ id, url }: Pick<EndpointRow, 'id' | 'url'>) =>
  ({ kind: 'webhook', id, label: new URL(url).host }) as const

const isSame = (row: EndpointRow, read: EndpointRow) =>
  JSON.stringify([fieldsIn(row), row.paused_at]) === JSON.stringify([fieldsIn(read), read.paused_at])

function within(caller: Caller, id: string, row: EndpointRow | undefined): EndpointRow {
  if (!row || !isWithin(caller, row.agents)) throw notFound(`this org has no webhook ${id} in ${caller.env}`)
  return row
}

/** The row is locked, so that the statement finds it. */
function kept(row: EndpointRow | undefined): EndpointRow {
  if (!row) throw new Error('a locked endpoint is changed')
  return row
}
