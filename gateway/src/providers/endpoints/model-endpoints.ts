import { endpointVendor, mostEndpoints } from '@switchroom/contract/endpoint-names'
import type {
  ChangeEndpoint,
  CreateEndpoint,
  EndpointList,
  ModelEndpoint,
  TriedEndpoint,
} from '@switchroom/contract/model-endpoints'
import type { InstalledVendors } from '@switchroom/kit/installed'
import type { Credentials } from '@switchroom/kit/vendor'
import { changedFields, recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { minuteMs, type Clock } from '../../foundation/clock.ts'
import { HostRefused, type PublicAddresses } from '../../foundation/public-addresses.ts'
import { badRequest, conflict, listed, notFound } from '../../foundation/refusals.ts'
import type { SealedPlace, Vault } from '../../foundation/sealing.ts'
import type { RateCounts } from '../../http/rate-counts.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import type { OrgInEnvironment } from '../keys/provider-keys.ts'
import { fieldsOf, hostOf, keyIn, nameIn, type EndpointFields } from './endpoint-fields.ts'
import { tryEndpoint } from './endpoint-trial.ts'
import * as store from './model-endpoints.store.ts'

const trialsAMinute = { name: 'model endpoint trial', tries: 20, windowMs: minuteMs }

/** An endpoint is opened only where it was sealed. */
export const sealedAt = ({ org, env, name }: store.EndpointPlace): SealedPlace =>
  `model_endpoints:sealed:${org}:${env}:${name}`

export interface EndpointParts {
  database: Database
  clock: Clock
  vault: Vault
  vendors: InstalledVendors
  publicAddresses: PublicAddresses
  rateCounts: RateCounts
  orgs: Orgs
  privateHosts: readonly string[]
  /** The deployment's own trust root. */
  caPem: string | undefined
  trialTimeoutMs: number
}

/** An org's own model endpoints, each in one environment; agents run on one as `custom/<name>`. */
export class ModelEndpoints {
  readonly #parts: EndpointParts

  constructor(parts: EndpointParts) {
    this.#parts = parts
  }

  async list({ org, env }: OrgInEnvironment): Promise<EndpointList> {
    const rows = await store.listEndpoints(this.#parts.database, org, env)
    return { endpoints: rows.map(shown) }
  }

  async read(caller: OrgInEnvironment, name: string): Promise<ModelEndpoint> {
    return shown(await this.#find(placeOf(caller, name)))
  }

  /** Nothing is kept that did not answer a request. */
  async create(caller: Caller, wanted: CreateEndpoint): Promise<ModelEndpoint> {
    const { database, clock, orgs, privateHosts } = this.#parts
    const place = placeOf(caller, nameIn(wanted.name))
    const fields = fieldsOf(wanted, privateHosts)
    const key = wanted.key == null ? null : keyIn(wanted.key)
    if (await store.findEndpoint(database, place)) throw taken(place)
    await this.#try(caller, place, fields, key)
    return database.transaction(async (tx) => {
      await orgs.lock(tx, caller.org) // held, so that two requests cannot both take the last one
      if ((await store.countEndpoints(tx, place.org, place.env)) >= mostEndpoints)
        throw conflict(
          `this org has ${mostEndpoints} model endpoints in ${place.env}, the most: delete one first`,
        )
      const kept = { ...fields, sealed: this.#sealed(place, key) }
      const row = await store.insertEndpoint(tx, place, kept, clock.now())
      if (!row) throw taken(place)
      await recordAudit(tx, caller, 'model_endpoint.created', targetOf(place), {
        env: place.env,
        detail: { ...fields, keyed: key !== null },
      })
      return shown(row)
    })
  }

  /** What is not named stays as it is; the whole is tried before it replaces the endpoint. */
  async change(caller: Caller, name: string, wanted: ChangeEndpoint): Promise<ModelEndpoint> {
    const { database, clock, privateHosts } = this.#parts
    const place = placeOf(caller, name)
    const before = await this.#find(place)
    const fields = fieldsOf({ ...fieldsIn(before), ...wanted }, privateHosts)
    const key = this.#keyAfter(place, before, fields, wanted.key)
    await this.#try(caller, place, fields, key)
    return database.transaction(async (tx) => {
      const row = await store.lockEndpoint(tx, place)
      if (!row) throw unknown(place)
      if (!isSame(row, before)) throw conflict(`${llmOf(place)} was changed by another request: try again`)
      const kept = { ...fields, sealed: wanted.key === undefined ? row.sealed : this.#sealed(place, key) }
      const changed = await store.replaceEndpoint(tx, place, kept, clock.now())
      if (!changed) throw unknown(place)
      const keys = wanted.key === undefined ? {} : { key_replaced: true }
      const detail = { ...changedFields(fieldsIn(before), fields), ...keys }
      await recordAudit(tx, caller, 'model_endpoint.changed', targetOf(place), { env: place.env, detail })
      return shown(changed)
    })
  }

  /** One request, as when it was created. */
  async tryAgain(caller: Caller, name: string): Promise<TriedEndpoint> {
    const { database, clock } = this.#parts
    const place = placeOf(caller, name)
    const row = await this.#find(place)
    const first_word_ms = await this.#try(caller, place, fieldsIn(row), this.#keyOf(place, row))
    const tried = await store.keepTried(database, place, clock.now())
    if (!tried) throw unknown(place)
    return { ...shown(tried), first_word_ms }
  }

  /** Refused while an agent runs on it: its calls would have no model. */
  async remove(caller: Caller, name: string): Promise<void> {
    const place = placeOf(caller, name)
    await this.#parts.database.transaction(async (tx) => {
      if (!(await store.lockEndpoint(tx, place))) throw unknown(place)
      const users = await store.listUsers(tx, place.org, place.env, llmOf(place))
      if (users.length > 0)
        throw conflict(
          `${llmOf(place)} is in use by ${listed(users.map((agent) => agent ?? "the org's judge"))}: set another model there first`,
        )
      await store.deleteEndpoint(tx, place)
      await recordAudit(tx, caller, 'model_endpoint.deleted', targetOf(place), { env: place.env })
    })
  }

  async has(caller: OrgInEnvironment, name: string): Promise<boolean> {
    return (await store.findEndpoint(this.#parts.database, placeOf(caller, name))) !== undefined
  }

  /** What a call runs on; null if the org has none of this name in this environment. */
  async credentialsOf(caller: OrgInEnvironment, name: string): Promise<Credentials | null> {
    const place = placeOf(caller, name)
    const row = await store.findEndpoint(this.#parts.database, place)
    if (!row) return null
    const key = this.#keyOf(place, row)
    try {
      const addresses = await this.#addressesOf(row.base_url)
      return this.#credentials(fieldsIn(row), key, { addresses })
    } catch (error) {
      if (!(error instanceof HostRefused)) throw error
      return this.#credentials(fieldsIn(row), key, { addresses: [], unreachable: error.message })
    }
  }

  async #find(place: store.EndpointPlace): Promise<store.EndpointRow> {
    const row = await store.findEndpoint(this.#parts.database, place)
    if (!row) throw unknown(place)
    return row
  }

  async #try(caller: Caller, place: store.EndpointPlace, fields: EndpointFields, key: string | null) {
    const { rateCounts, vendors, trialTimeoutMs } = this.#parts
    await rateCounts.admit(
      trialsAMinute,
      [caller.org],
      'this org tried twenty model endpoints in a minute: wait a little before the next',
    )
    const addresses = await this.#addressesOf(fields.base_url).catch((error: unknown) => {
      throw error instanceof HostRefused ? badRequest(`base_url: ${error.message}`) : error
    })
    return tryEndpoint(vendors, place.name, this.#credentials(fields, key, { addresses }), trialTimeoutMs)
  }

  /** Checked here and pinned: a name that resolves to another address later is not followed there. */
  async #addressesOf(base_url: string): Promise<string[]> {
    const found = await this.#parts.publicAddresses.addressesOf(hostOf(base_url))
    return found.map(({ address }) => address)
  }

  /** The kept key goes to the host it was given for, and to no other that a request names. */
  #keyAfter(
    place: store.EndpointPlace,
    before: store.EndpointRow,
    { base_url }: EndpointFields,
    wanted: string | null | undefined,
  ): string | null {
    if (wanted !== undefined) return wanted === null ? null : keyIn(wanted)
    if (before.sealed !== null && new URL(base_url).origin !== new URL(before.base_url).origin)
      throw badRequest('base_url names another host: send its key, or null, with it')
    return this.#keyOf(place, before)
  }

  /** The endpoint travels in one text beside its key, because it is no secret and must not be blanked as one. */
  #credentials(
    fields: EndpointFields,
    key: string | null,
    reached: { addresses: string[]; unreachable?: string },
  ): Credentials {
    const { caPem: ca } = this.#parts
    return {
      ...(key !== null && { api_key: key }),
      endpoint: JSON.stringify({ ...fields, ...reached, ...(ca !== undefined && { ca }) }),
    }
  }

  #keyOf(place: store.EndpointPlace, { sealed }: store.EndpointRow): string | null {
    return sealed && this.#parts.vault.open(sealed, sealedAt(place))
  }

  #sealed(place: store.EndpointPlace, key: string | null): Buffer | null {
    return key === null ? null : this.#parts.vault.seal(key, sealedAt(place))
  }
}

const llmOf = ({ name }: store.EndpointPlace) => `${endpointVendor}/${name}`

const placeOf = ({ org, env }: OrgInEnvironment, name: string): store.EndpointPlace => ({ org, env, name })

const targetOf = ({ name }: store.EndpointPlace) =>
  ({ kind: 'model_endpoint', id: name, label: name }) as const

const fieldsIn = ({ base_url, wire, model, azure_api_version }: store.EndpointRow): EndpointFields => ({
  base_url,
  wire,
  model,
  azure_api_version,
})

/** Every field is named here, so that a secret can never be among them. */
const shown = (row: store.EndpointRow): ModelEndpoint => ({
  name: row.name,
  llm: `${endpointVendor}/${row.name}`,
  ...fieldsIn(row),
  keyed: row.sealed !== null,
  created_at: row.created_at,
  changed_at: row.changed_at,
  tried_at: row.tried_at,
})

const isSame = (row: store.EndpointRow, read: store.EndpointRow) =>
  JSON.stringify([fieldsIn(row), row.sealed]) === JSON.stringify([fieldsIn(read), read.sealed])

const taken = ({ name, env }: store.EndpointPlace) =>
  conflict(`there is a model endpoint ${name} in ${env} already: change that one, or take another name`)

const unknown = ({ name, env }: store.EndpointPlace) =>
  notFound(`this org has no model endpoint ${name} in ${env}`)
