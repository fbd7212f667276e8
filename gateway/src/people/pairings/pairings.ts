import { randomBytes, timingSafeEqual } from 'node:crypto'
import type {
  ApprovedPairing,
  ApprovePairing,
  LoginCode,
  PairedKey,
  Pairing,
  StartPairing,
} from '@switchroom/contract/sign-in'
import { recordAudit } from '../../audit/recording.ts'
import type { Database, Queryable } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { later, minuteMs, type Clock } from '../../foundation/clock.ts'
import { badRequest, conflict, forbidden, notFound } from '../../foundation/refusals.ts'
import { digestOf } from '../../foundation/secrets.ts'
import { cutToLine } from '../../foundation/text.ts'
import type { Keys } from '../keys/keys.ts'
import { holderOf, type Mint } from '../keys/mint.ts'
import type { OwnOrgs } from '../own-orgs/own-orgs.ts'
import * as store from './pairings.store.ts'

const lifetimeMs = 10 * minuteMs

export interface PairingsParts {
  database: Database
  clock: Clock
  ownOrgs: OwnOrgs
  mint: Mint
  keys: Keys
}

/** Signs a terminal in: it waits with a code, which a signed-in person approves in a browser. */
export class Pairings {
  readonly #parts: PairingsParts

  constructor(parts: PairingsParts) {
    this.#parts = parts
  }

  async start({ device, collect }: StartPairing): Promise<LoginCode> {
    const code = `cli_${randomBytes(16).toString('base64url')}`
    const expires_at = later(this.#parts.clock.now(), lifetimeMs)
    await store.insertPairing(this.#parts.database, {
      digest: digestOf(code),
      device: cutToLine(device, 'terminal'),
      collect: collect === undefined ? null : digestFrom(collect),
      expires_at,
    })
    return { code, expires_at: expires_at.toISOString() }
  }

  async read(code: string): Promise<Pairing> {
    const { device, expires_at, key, collect } = await this.#living(this.#parts.database, code)
    return { device, expires_at, answered: key !== null, ...(collect && { bound: true as const }) }
  }

  /** Inserts the key; its secret is generated when the terminal collects it. */
  async approve(caller: Caller, code: string, wanted: ApprovePairing): Promise<ApprovedPairing> {
    const digest = digestOf(code)
    return this.#parts.database.transaction(async (tx) => {
      const pairing = await store.lockPairing(tx, digest, this.#parts.clock.now())
      if (!pairing) throw deadWord()
      if (pairing.key !== null) throw conflict('that terminal is already signed in')
      const device = cutToLine(wanted.device, pairing.device)
      const org_name = cutToLine(wanted.org_name, '') || null

      const arrival = await this.#parts.ownOrgs.arrive(tx, caller, wanted.org ?? caller.org)
      const key =
        'visit' in arrival
          ? await this.#parts.mint.forVisitLater(tx, arrival.org, arrival.visit, device, caller.key_id)
          : await this.#parts.mint.forPersonLater(tx, arrival.seat, device, caller.key_id)
      await store.answerPairing(tx, digest, { device, org_name, key: key.key_id })
      const target = { kind: 'key', id: key.key_id, label: device } as const
      await recordAudit(tx, caller, 'pairing.approved', target, { org: key.org, env: null })
      if ('visit' in arrival) await this.#parts.ownOrgs.recordVisit(tx, caller, arrival.org, key.key_id)
      return { device, org: key.org, org_name, expires_at: pairing.expires_at, answered: true }
    })
  }

  /** Undefined until the approval; then the key, once, and only with the terminal's secret if it has one. */
  async collect(code: string, secret: string, from: string): Promise<PairedKey | undefined> {
    const digest = digestOf(code)
    return this.#parts.database.transaction(async (tx) => {
      const pairing = await store.lockPairing(tx, digest, this.#parts.clock.now())
      if (!pairing) throw deadWord()
      if (pairing.collect && !timingSafeEqual(pairing.collect, digestOf(secret))) throw notTheTerminal()
      if (pairing.is_collected) throw deadWord()
      if (pairing.key === null) return undefined
      const minted = await this.#parts.mint.sign(tx, pairing.key)
      if (!minted) throw deadWord()
      await store.collectPairing(tx, digest)
      const target = { kind: 'key', id: minted.key_id, label: minted.label } as const
      await recordAudit(tx, holderOf(minted, from), 'person.signed_in', target, { detail: { by: 'pairing' } })
      return { ...minted, org_name: pairing.org_name }
    })
  }

  /** Revokes keys that no terminal collected before the code expired. */
  async deleteExpired(database: Database = this.#parts.database) {
    await database.transaction(async (tx) => {
      for (const { key } of await store.deleteExpiredPairings(tx, this.#parts.clock.now()))
        if (key !== null) await this.#parts.keys.revokeTree(tx, key)
    })
  }

  async #living(database: Queryable, code: string): Promise<store.PairingRow> {
    const pairing = await store.findPairing(database, digestOf(code), this.#parts.clock.now())
    if (!pairing) throw deadWord()
    return pairing
  }
}

/** A person who sees the code can approve it, and must not be able to collect the key. */
const notTheTerminal = () =>
  forbidden(
    'only the terminal that began this sign-in collects its key: send its secret in svc-pairing-secret',
  )

function digestFrom(collect: string): Buffer {
  if (!/^[0-9a-f]{64}$/i.test(collect))
    throw badRequest("collect is the SHA-256 of the terminal's secret, as 64 hex digits")
  return Buffer.from(collect, 'hex')
}

const deadWord = () => notFound('that word is spent or was never made')
