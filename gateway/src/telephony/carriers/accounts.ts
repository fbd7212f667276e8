import type { CarrierAccount, CarrierKind, CarrierList, PutCarrier } from '@switchroom/contract/carriers'
import { changedFields, recordAudit } from '../../audit/recording.ts'
import type { Database, Queryable } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { later, minuteMs, type Clock } from '../../foundation/clock.ts'
import { badRequest, conflict, listed, notFound } from '../../foundation/refusals.ts'
import type { SealedPlace, Vault } from '../../foundation/sealing.ts'
import { cutToLine, lineOf } from '../../foundation/text.ts'
import { fieldsOf, idOf, kindOf, type AccountFields, type Lifted } from './account-fields.ts'
import * as store from './accounts.store.ts'
import type { ApiCarrier } from './api-carrier.ts'
import { WireFailure } from './carrier-wire.ts'
import type { Catalogue } from './catalogue.ts'
import type { Firewall } from './firewall.ts'
import type { Networks } from './networks.ts'
import { fenceTerms, shownTrunk } from './trunk-fields.ts'

export type { AccountRow } from './accounts.store.ts'

export type NumberChannel = 'phone' | 'msgapp'

/** An account with its secrets; those of a forgotten one are empty, but for what admits a SIP peer's numbers. */
export type OpenedAccount = { account: string; label: string; forgotten: boolean } & AccountFields

/** Asks the messaging platform which number a `phone_number_id` is, and by which name; throws a `WireFailure`. */
export type FindMessagingNumber = (
  phoneNumberId: string,
  accessToken: string,
) => Promise<{ number: string; name: string }>

interface Parts {
  database: Database
  clock: Clock
  vault: Vault
  carrier: ApiCarrier
  findMessagingNumber: FindMessagingNumber
  catalogue: Catalogue
  networks: Networks
  firewall: Firewall
  lifted: Lifted
  /** Admits an org's numbers again, in both environments; a failure is kept for a retry and never thrown. */
  readmit: (org: string) => Promise<void>
}

const servedBy: Record<NumberChannel, CarrierKind[]> = { phone: ['apicarrier', 'sip'], msgapp: ['msgapp'] }
const mostTries = 5

/** An org's accounts at carriers and at the messaging platform: the org's own, in both environments. */
export class CarrierAccounts {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async list(org: string): Promise<CarrierList> {
    const rows = await store.listAccounts(this.#parts.database, org)
    return { carriers: await Promise.all(rows.map((row) => this.#shown(row))) }
  }

  async read(org: string, account?: string): Promise<CarrierAccount> {
    return this.#shown(await this.find(org, account))
  }

  /** The one that is meant: named, or the only one. */
  async find(org: string, account?: string): Promise<store.AccountRow> {
    return meant(await store.listAccounts(this.#parts.database, org), account)
  }

  /** The same among those that serve a channel. */
  async findServing(org: string, channel: NumberChannel, account?: string): Promise<store.AccountRow> {
    return meant(await this.serving(org, channel), account)
  }

  /** Those that serve a channel, oldest first. */
  async serving(org: string, channel: NumberChannel): Promise<store.AccountRow[]> {
    const rows = await store.listAccounts(this.#parts.database, org)
    return rows.filter(({ kind }) => servedBy[channel].includes(kind))
  }

  /** Also a forgotten one that still has numbers. */
  async opened(org: string, account: string): Promise<OpenedAccount | undefined> {
    const row = await store.findAccount(this.#parts.database, org, account)
    if (!row) return undefined
    const { label, forgotten_at } = row
    return { account, label, forgotten: forgotten_at !== null, ...this.#fields(row) }
  }

  /** The SIP peers that numbers of these orgs live in, forgotten ones too; each is opened when it is asked for. */
  async peersOf(
    orgs: readonly string[],
  ): Promise<{ org: string; account: string; opened: () => AccountFields }[]> {
    const rows = await store.listPeers(this.#parts.database, orgs)
    return rows.map((row) => ({ org: row.org, account: row.account, opened: () => this.#fields(row) }))
  }

  /** Adds it, or replaces the fields of one that the org has. The carrier is asked before anything is written. */
  async put(caller: Caller, sent: PutCarrier): Promise<CarrierAccount> {
    const { org } = caller
    const kind = kindOf(sent)
    const account = idOf(kind, sent)
    for (let tries = 0; tries < mostTries; tries += 1) {
      const row = await this.#held(org, account, kind)
      const held = row && row.forgotten_at === null ? this.#fields(row) : undefined
      const fields = fieldsOf(kind, sent, held, this.#parts.lifted)
      const label = sent.label === undefined ? undefined : lineOf('label', sent.label)
      const name = await this.#open(fields)
      const kept: store.KeptAccount = {
        org,
        account,
        kind,
        label: label ?? (held && row?.label) ?? cutToLine(name, account),
        sealed: this.#seal(org, account, fields),
        networks: fields.kind === 'sip' ? fields.networks : [],
        dials_at: (fields.kind === 'sip' && fields.outbound_host) || null,
        registers: fields.kind === 'sip' && fields.register === true,
        dial_extensions: (fields.kind === 'sip' && fields.dial_extensions) || [],
      }
      const detail = { kind, ...changesOf(held, fields, sent) }
      if (!(await this.#keep(caller, kept, row, detail))) continue // another request changed it meanwhile
      if (kind === 'sip') await this.#follow(org, row, held, fields)
      return this.#shown(kept) // as this request left it: another may have forgotten it since
    }
    throw conflict(`${account} is being changed by another request: try again`)
  }

  /** Its numbers stay routed until each is released; what admits them stays sealed until then. */
  async forget(caller: Caller, account?: string): Promise<void> {
    const { org } = caller
    const { database, clock, firewall, readmit } = this.#parts
    const found = await this.find(org, account)
    await database.transaction(async (tx) => {
      const row = await store.lockAccount(tx, org, found.account)
      if (!row || row.forgotten_at !== null) throw noSuch(found.account)
      const sealed = this.#seal(org, row.account, admitting(this.#fields(row)))
      await store.forgetAccount(tx, org, row.account, sealed, clock.now())
      await store.dropFallbacksTo(tx, org, row.account)
      const target = { kind: 'carrier', id: row.account, label: row.label } as const
      await recordAudit(tx, caller, 'carrier.removed', target, { env: null, detail: { kind: row.kind } })
    })
    if (found.kind === 'sip')
      await firewall.around(async () => {
        if (await store.numberLivingIn(database, org, found.account)) await readmit(org)
      })
  }

  /** Forgotten accounts without numbers; not at once, for a number may be imported at the moment. */
  async deleteExpired(database: Queryable = this.#parts.database): Promise<void> {
    await store.removeDeadAccounts(database, later(this.#parts.clock.now(), -minuteMs))
  }

  /** The row to replace: a forgotten one too, for its id is taken while it has numbers. */
  async #held(org: string, account: string, kind: CarrierKind): Promise<store.AccountRow | undefined> {
    const { database } = this.#parts
    const row = await store.findAccount(database, org, account)
    if (!row || row.kind === kind) return row
    const isTaken = row.forgotten_at === null || (await store.numberLivingIn(database, org, account))
    if (isTaken) throw conflict(`${account} is held as ${row.kind}: an account keeps its kind`)
    return row
  }

  /** Asks the carrier or the messaging platform whether the secrets are right; answers its own name of the account. */
  async #open(fields: AccountFields): Promise<string | undefined> {
    const { carrier, findMessagingNumber } = this.#parts
    if (fields.kind === 'sip') return undefined
    if (fields.kind === 'apicarrier') {
      await carrier.open(fields).catch((error: unknown) => {
        if (!(error instanceof WireFailure) || ![401, 403, 404].includes(error.answered ?? 0)) throw error
        const sentence = `the carrier does not open account_sid ${fields.account_sid} to this user and secret`
        throw badRequest(error.said === undefined ? sentence : `${sentence}: ${error.said}`)
      })
      return undefined
    }
    const { phone_number_id, access_token } = fields
    const { name } = await findMessagingNumber(phone_number_id, access_token).catch((error: unknown) => {
      if (!(error instanceof WireFailure) || !error.isRefused) throw error
      const sentence = `the messaging platform does not open phone_number_id ${phone_number_id} to this access_token`
      throw badRequest(error.said === undefined ? sentence : `${sentence}: ${error.said}`)
    })
    return name
  }

  /** False when the row is not what it was when it was read. */
  #keep(
    caller: Caller,
    kept: store.KeptAccount,
    read: store.AccountRow | undefined,
    detail: Record<string, unknown>,
  ): Promise<boolean> {
    const { database, clock, networks } = this.#parts
    return database.transaction(async (tx) => {
      const now = clock.now()
      if (read) {
        const row = await store.lockAccount(tx, kept.org, kept.account)
        if (!row?.sealed.equals(read.sealed)) return false
        await store.replaceAccount(tx, kept)
      } else if (!(await store.insertAccount(tx, kept, now))) return false
      await networks.ask(tx, kept.org, kept.networks, { account: kept.account }, now)
      const target = { kind: 'carrier', id: kept.account, label: kept.label } as const
      await recordAudit(tx, caller, 'carrier.set', target, { env: null, detail })
      return true
    })
  }

  /** A SIP peer's pair and networks fence its numbers. */
  async #follow(
    org: string,
    row: store.AccountRow | undefined,
    held: AccountFields | undefined,
    fields: AccountFields,
  ) {
    const { firewall, readmit } = this.#parts
    const isSame = held && JSON.stringify(admitting(held)) === JSON.stringify(admitting(fields))
    if (isSame) return
    await firewall.around(async () => {
      if (row) await readmit(org)
    })
  }

  #fields({ org, account, sealed }: store.KeptAccount): AccountFields {
    return JSON.parse(this.#parts.vault.open(sealed, placeOf(org, account))) as AccountFields
  }

  #seal(org: string, account: string, fields: AccountFields): Buffer {
    return this.#parts.vault.seal(JSON.stringify(fields), placeOf(org, account))
  }

  async #registration({ org, account, registers }: store.KeptAccount) {
    if (!registers) return null
    const { database, clock } = this.#parts
    const told = await store.findRegistration(database, org, account, clock.now())
    if (told) return told
    const hasNumber = await store.numberLivingIn(database, org, account)
    const says = hasNumber
      ? 'no worker has taken it yet'
      : 'import a number of the account: it registers with the first one'
    return { state: 'waiting' as const, until: null, says }
  }

  /** Every field is named here, so that a secret can never be among them. */
  async #shown(row: store.KeptAccount): Promise<CarrierAccount> {
    const { org, kind, account, label, networks } = row
    if (kind === 'msgapp') return { kind, account, label, networks: [] }
    const { catalogue, database, networks: asked } = this.#parts
    if (kind === 'apicarrier') return { kind, account, label, networks: catalogue.networksOf(kind) ?? [] }
    const states = await asked.statesOf(database, org, networks)
    const stated = networks.map((network) => ({ network, state: states.get(network) ?? 'waiting' }))
    const fields = this.#fields(row)
    return {
      kind,
      account,
      label,
      networks: stated,
      ...(fields.kind === 'sip' && {
        sip: { ...shownTrunk(fields), registration: await this.#registration(row) },
      }),
    }
  }
}

export const placeOf = (org: string, account: string): SealedPlace =>
  `carrier_accounts:sealed:${org}:${account}`

const secretFields = ['secret', 'password', 'outbound_password', 'client_key', 'access_token'] as const

/** What the audit log says of a change: where a SIP peer is reached, and which secrets were sent, not what they are. */
function changesOf(held: AccountFields | undefined, fields: AccountFields, sent: PutCarrier) {
  const reach = fields.kind === 'sip' ? reachOf(fields) : {}
  const before = held?.kind === 'sip' ? reachOf(held) : {}
  const secrets = secretFields.filter((field) => sent[field] !== undefined)
  return { ...changedFields(before, reach), secrets_replaced: secrets }
}

const reachOf = (fields: Extract<AccountFields, { kind: 'sip' }>) => ({
  networks: fields.networks,
  ...shownTrunk(fields),
  outbound_host: fields.outbound_host,
  outbound_transport: fields.outbound_transport,
})

/** What admits an account's numbers, without what else it can do. */
function admitting(fields: AccountFields): AccountFields {
  if (fields.kind === 'apicarrier') return { ...fields, user: '', secret: '' }
  if (fields.kind === 'msgapp') return { ...fields, access_token: '' }
  const { kind, username, password, networks, auth } = fields
  return { kind, username, password, networks, ...(auth && { auth }), ...fenceTerms(fields) }
}

const noSuch = (account: string) => notFound(`this org holds no carrier account ${account}`)

/** An empty name is none. */
function meant(rows: readonly store.AccountRow[], account = ''): store.AccountRow {
  const [only, ...others] = account === '' ? rows : rows.filter((row) => row.account === account)
  if (!only)
    throw account === ''
      ? notFound('this org holds no carrier account: add one with PUT /v1/carrier')
      : noSuch(account)
  if (others.length > 0)
    throw conflict(
      `this org holds several accounts: name one in account, of ${listed(rows.map((row) => row.account))}`,
    )
  return only
}
