import { environments, type Environment } from '@switchroom/contract/scopes'
import { MediaError, type Admission, type AdmissionVerdicts } from '@switchroom/media/plane'
import type { Logger } from 'pino'
import type { Database, Transaction } from '../../database/database.ts'
import type { Clock } from '../../foundation/clock.ts'
import { isExtension } from '../../foundation/number-keys.ts'
import { badGateway } from '../../foundation/refusals.ts'
import type { CarrierAccounts } from '../carriers/accounts.ts'
import type { Catalogue } from '../carriers/catalogue.ts'
import type { Networks } from '../carriers/networks.ts'
import type { Planes } from './planes.ts'
import * as store from './admission.store.ts'
import {
  atFence,
  peerTerms,
  wantedAdmission,
  type AtFence,
  type FenceFacts,
  type Placed,
  type Whose,
} from './number-fences.ts'
import { orgLock, type NumberLocks } from './number-locks.ts'

export interface AdmissionParts {
  database: Database
  clock: Clock
  logger: Logger
  locks: NumberLocks
  planes: Planes
  catalogue: Catalogue
  accounts: CarrierAccounts
  networks: Networks
  fleets: Record<Environment, string>
}

/** Changes what the tables say: numbers as they will be, or without one that goes. */
export type Change = (placed: Placed[]) => Placed[]

export const without =
  (number: string): Change =>
  (placed) =>
    placed.filter((other) => other.number !== number)

export const withPlaced =
  (changed: Placed): Change =>
  (placed) => [...without(changed.number)(placed), changed]

/** What a media plane is to admit, from which numbers it was drawn, and the fence of each. */
export interface Drawn {
  wanted: Admission
  placed: readonly Placed[]
  at: (placed: Placed) => AtFence
}

/** Makes the media planes admit what the tables say. Changes of the tables hold the org's lock. */
export class NumberAdmission {
  readonly #parts: AdmissionParts

  constructor(parts: AdmissionParts) {
    this.#parts = parts
  }

  /** The fences of an org in an environment, drawn from the tables and what is about to change. */
  async draw(whose: Whose, change: Change = (placed) => placed): Promise<Drawn> {
    const { database, fleets, planes } = this.#parts
    const all = change(await store.listPlaced(database, whose))
    const placed = all.filter(({ number }) => planes.isEmbedded(whose.env) || !isExtension(number))
    const facts = await this.#facts(whose.org, placed)
    return {
      wanted: wantedAdmission(whose, fleets[whose.env], placed, facts),
      placed,
      at: (one) => atFence(whose, one, facts),
    }
  }

  /** What `admit` would do; a refusal of the media plane is a 502. */
  preview({ wanted }: Drawn): Promise<AdmissionVerdicts> {
    return asRefusal(this.#parts.planes.of(wanted.env).preview(wanted))
  }

  /** Under the org's lock; a refusal of the media plane is a 502. */
  admit({ wanted }: Drawn): Promise<AdmissionVerdicts> {
    return asRefusal(this.#parts.planes.of(wanted.env).admit(wanted))
  }

  /** In the transaction that writes the route: the media plane admits what was drawn, and nothing else. */
  async recordIn(tx: Transaction, whose: Whose, { wanted }: Drawn): Promise<void> {
    await store.setAdmitted(tx, whose, numbersIn(wanted), this.#parts.clock.now())
  }

  /** In a transaction that changes an org's numbers: `apply` follows it, or else reconciliation does. */
  async requestIn(tx: Transaction, org: string): Promise<void> {
    await store.requestAdmission(tx, org, this.#parts.clock.now())
  }

  /** After something about an org changed; a failure is retried until it is none. */
  async readmit(org: string): Promise<void> {
    const { database, clock, locks } = this.#parts
    await store.requestAdmission(database, org, clock.now())
    await locks
      .withLocks([orgLock(org)], () => this.apply(org))
      .catch((error: unknown) => this.logFailure(org, error))
  }

  /** Under the org's lock: both environments as the tables say. Throws the first failure after trying the others. */
  async apply(org: string, isReachable: (env: Environment) => boolean = () => true): Promise<void> {
    const { database, clock } = this.#parts
    const asked = await store.findDue(database, org)
    const failures: unknown[] = []
    for (const env of environments) {
      const whose = { org, env }
      if (!isReachable(env)) continue
      await this.#applyIn(whose).catch(async (error: unknown) => {
        failures.push(error)
        await store.setUnadmitted(database, whose)
      })
      await this.#sweep(whose, isReachable).catch((error: unknown) => failures.push(error))
    }
    if (failures.length === 0 && environments.every(isReachable))
      return void (await store.settleAdmission(database, org, asked))
    await store.requestAdmission(database, org, clock.now())
    if (failures.length > 0) throw failures[0]
  }

  /** For a change that broke off: what the media plane admits now is not known. */
  async applyLater(whose: Whose): Promise<void> {
    const { database, clock } = this.#parts
    await store.setUnadmitted(database, whose)
    await store.requestAdmission(database, whose.org, clock.now())
  }

  logFailure(org: string, error: unknown) {
    this.#parts.logger.warn({ org, err: error }, 'the numbers of an org are not admitted yet: retried soon')
  }

  async #applyIn(whose: Whose) {
    const { database, clock } = this.#parts
    const drawn = await this.draw(whose)
    await this.admit(drawn)
    await store.setAdmitted(database, whose, numbersIn(drawn.wanted), clock.now())
  }

  /** Takes everything of an environment off a media server that is the other environment's own. */
  async #sweep({ org, env }: Whose, isReachable: (env: Environment) => boolean) {
    const { planes, fleets } = this.#parts
    if (!planes.areSeparate || !isReachable(otherThan(env))) return
    await asRefusal(planes.of(otherThan(env)).admit({ org, env, fleet: fleets[env], fences: [] }))
  }

  async #facts(org: string, placed: readonly Placed[]): Promise<FenceFacts> {
    const { database, catalogue, accounts, networks } = this.#parts
    const own = [...new Set(placed.flatMap((one) => one.networks))]
    const peers = new Set(
      placed.flatMap(({ account, account_kind }) => (account_kind === 'sip' ? [account] : [])),
    )
    const [states, ...opened] = await Promise.all([
      networks.statesOf(database, org, own),
      ...[...peers].map((account) => accounts.opened(org, String(account))),
    ])
    return {
      networksOf: (kind) => catalogue.networksOf(kind),
      stateOf: (network) => states.get(network) ?? 'waiting',
      peerOf: (account) => peerTerms(opened.find((one) => one?.account === account)),
    }
  }
}

export const otherThan = (env: Environment): Environment => (env === 'sandbox' ? 'production' : 'sandbox')

const numbersIn = ({ fences }: Admission) => fences.flatMap(({ numbers }) => numbers)

/** A media plane's own sentence is a 502. */
export async function asRefusal<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    throw error instanceof MediaError ? badGateway(error.message) : error
  }
}
