import { environments, type Environment } from '@switchroom/contract/scopes'
import { MediaError, type Admission, type AdmissionVerdicts } from '@switchroom/media/plane'
import type { Logger } from 'pino'
import type { Database } from '../../database/database.ts'
import type { Clock } from '../../foundation/clock.ts'
import { badGateway } from '../../foundation/refusals.ts'
import type { CarrierAccounts } from '../carriers/accounts.ts'
import type { Catalogue } from '../carriers/catalogue.ts'
import type { Networks } from '../carriers/networks.ts'
import type { Planes } from './planes.ts'
import * as store from './admission.store.ts'
import { atFence, wantedAdmission, type AtFence, type FenceFacts, type Placed, type Whose } from './number-fences.ts'
import { orgLock, type NumberLocks } from './number-locks.ts'
import { listPlaced } from '../numbers/numbers.store.ts'

export interface AdmittingParts {
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

/** What would be different from the tables: numbers as they will stand, or not any more. */
export type Change = (placed: Placed[]) => Placed[]

export const without =
  (number: string): Change =>
  (placed) =>
    placed.filter((other) => other.number !== number)

export const withPlaced =
  (changed: Placed): Change =>
  (placed) => [...without(changed.number)(placed), changed]

/** What the media plane is to admit, and how a number stands there. */
export interface Drawn {
  wanted: Admission
  at: (placed: Placed) => AtFence
}

/** Makes the media planes admit what the tables say. Whoever changes the tables holds the org's lock. */
export class Admitting {
  readonly #parts: AdmittingParts

  constructor(parts: AdmittingParts) {
    this.#parts = parts
  }

  /** The fences of an org in an environment, drawn from the tables and what is about to change. */
  async draw(whose: Whose, change: Change = (placed) => placed): Promise<Drawn> {
    const { database, fleets } = this.#parts
    const placed = change(await listPlaced(database, whose))
    const facts = await this.#facts(whose.org, placed)
    return {
      wanted: wantedAdmission(whose, fleets[whose.env], placed, facts),
      at: (one) => atFence(whose, one, facts),
    }
  }

  /** What admitting would do; the media plane's no is a 502. */
  preview({ wanted }: Drawn): Promise<AdmissionVerdicts> {
    return asRefusal(this.#parts.planes.of(wanted.env).preview(wanted))
  }

  /** Under the org's lock; the media plane's no is a 502. */
  admit({ wanted }: Drawn): Promise<AdmissionVerdicts> {
    return asRefusal(this.#parts.planes.of(wanted.env).admit(wanted))
  }

  /** Tells the media planes of an org after something about it changed; a failure is told again until it is none. */
  async readmit(org: string): Promise<void> {
    const { database, clock, locks } = this.#parts
    await store.askAdmission(database, org, clock.now())
    await locks
      .withLocks([orgLock(org)], () => this.tell(org))
      .catch((error: unknown) => this.logFailure(org, error))
  }

  /** Under the org's lock: both environments as the tables say. Throws the first failure, the others done. */
  async tell(org: string, isReachable: (env: Environment) => boolean = () => true): Promise<void> {
    const { database, clock } = this.#parts
    const asked = await store.findDue(database, org)
    const failures: unknown[] = []
    for (const env of environments) {
      const whose = { org, env }
      if (!isReachable(env)) continue
      await this.#tellOne(whose).catch(async (error: unknown) => {
        failures.push(error)
        await store.setUnadmitted(database, whose)
      })
      await this.#sweep(whose, isReachable).catch((error: unknown) => failures.push(error))
    }
    if (failures.length === 0 && environments.every(isReachable))
      return void (await store.settleAdmission(database, org, asked))
    await store.askAdmission(database, org, clock.now())
    if (failures.length > 0) throw failures[0]
  }

  /** What stands at the media plane is not known; it is told again soon. */
  async tellLater(whose: Whose): Promise<void> {
    const { database, clock } = this.#parts
    await store.setUnadmitted(database, whose)
    await store.askAdmission(database, whose.org, clock.now())
  }

  logFailure(org: string, error: unknown) {
    this.#parts.logger.warn(
      { org, err: error },
      'the numbers of an org are not admitted yet: told again soon',
    )
  }

  async #tellOne(whose: Whose) {
    const { database, clock } = this.#parts
    const drawn = await this.draw(whose)
    await this.admit(drawn)
    await store.setAdmitted(database, whose, numbersIn(drawn.wanted), clock.now())
  }

  /** Nothing of an environment stands on a media server that is the other environment's own. */
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
      pairOf: (account) => {
        const peer = opened.find((one) => one?.account === account)
        return peer?.kind === 'sip' ? { username: peer.username, password: peer.password } : undefined
      },
    }
  }
}

export const otherThan = (env: Environment): Environment => (env === 'sandbox' ? 'production' : 'sandbox')

export const numbersIn = ({ fences }: Admission) => fences.flatMap(({ numbers }) => numbers)

/** What a media plane says is for people to read. */
export async function asRefusal<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    throw error instanceof MediaError ? badGateway(error.message) : error
  }
}
