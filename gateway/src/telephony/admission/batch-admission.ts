import { environments, type Environment } from '@switchroom/contract/scopes'
import type { Admission, MediaPlane } from '@switchroom/media/plane'
import type { Logger } from 'pino'
import type { Database } from '../../database/database.ts'
import type { Clock } from '../../foundation/clock.ts'
import { isExtension } from '../../foundation/number-keys.ts'
import type { CarrierAccounts } from '../carriers/accounts.ts'
import type { Catalogue } from '../carriers/catalogue.ts'
import type { Networks } from '../carriers/networks.ts'
import { otherThan } from './admission.ts'
import * as store from './batch-admission.store.ts'
import { peerTerms, wantedAdmission, type FenceFacts } from './number-fences.ts'
import type { Planes } from './planes.ts'

export interface BatchAdmissionParts {
  database: Database
  clock: Clock
  logger: Logger
  planes: Planes
  catalogue: Catalogue
  accounts: CarrierAccounts
  networks: Networks
  fleets: Record<Environment, string>
}

/** What the tables say of an org. */
interface DrawnOrg {
  wanted: Admission[]
  /** Numbers whose rows do not say so yet. */
  unadmitted: string[]
  /** Numbers whose rows still say so. */
  overadmitted: string[]
}

/** What the tables say of several orgs; what cannot be read, such as an account that does not open, is of no other org. */
interface Drawn {
  byOrg: Map<string, DrawnOrg>
  /** How many requests for an admission are due, of orgs that have some. */
  due: Map<string, number>
}

/** Compares and admits the numbers of several orgs at once, so that many take few statements. */
export class BatchAdmission {
  readonly #parts: BatchAdmissionParts

  constructor(parts: BatchAdmissionParts) {
    this.#parts = parts
  }

  /**
   * The orgs of these of which a media plane or a row says something else than the tables, or cannot be compared. No
   * lock is taken: a change that is under way admits its own.
   */
  async unsettled(orgs: readonly string[]): Promise<string[]> {
    const { planes, fleets } = this.#parts
    const { byOrg, due } = await this.#draw(orgs)
    const differing = new Set<string>()
    const compare = async (plane: MediaPlane, wanted: readonly Admission[]) => {
      const areAdmitted = await plane.areAdmitted(wanted)
      for (const [at, { org }] of wanted.entries()) if (!areAdmitted[at]) differing.add(org)
    }
    const wanted = Map.groupBy(wantedOf(byOrg), ({ env }) => env)
    for (const env of environments) {
      await compare(planes.of(env), wanted.get(env) ?? [])
      const nothing = orgs.map((org) => ({ org, env, fleet: fleets[env], fences: [] }))
      if (planes.areSeparate) await compare(planes.of(otherThan(env)), nothing)
    }
    const isSettled = (org: string, { unadmitted, overadmitted }: DrawnOrg) =>
      unadmitted.length + overadmitted.length === 0 && !due.has(org) && !differing.has(org)
    return orgs.filter((org) => {
      const drawn = byOrg.get(org)
      return !drawn || !isSettled(org, drawn)
    })
  }

  /** Whether the media plane takes several orgs at once. */
  get isPossible(): boolean {
    const { planes } = this.#parts
    return !planes.areSeparate && planes.of('production').admitAll !== undefined
  }

  /** Under the locks of these orgs: admits them as the tables say, or throws. Returns those that it left out. */
  async apply(orgs: readonly string[]): Promise<string[]> {
    const { database, clock, planes } = this.#parts
    const { byOrg, due } = await this.#draw(orgs)
    await planes.of('production').admitAll?.(wantedOf(byOrg))
    const unadmitted = [...byOrg.values()].flatMap((one) => one.unadmitted)
    const overadmitted = [...byOrg.values()].flatMap((one) => one.overadmitted)
    if (unadmitted.length + overadmitted.length > 0)
      await store.setAdmitted(database, unadmitted, overadmitted, clock.now())
    const settled = [...due].flatMap(([org, asked]) => (byOrg.has(org) ? [{ org, asked }] : []))
    if (settled.length > 0) await store.settleAdmissions(database, settled)
    return orgs.filter((org) => !byOrg.has(org))
  }

  async #draw(orgs: readonly string[]): Promise<Drawn> {
    const { database, accounts, networks, catalogue, logger } = this.#parts
    // First: a request that comes later is for a change that may not be read any more.
    const due = await store.listDue(database, orgs)
    const [rows, states, peers] = await Promise.all([
      store.listPlaced(database, orgs),
      networks.statesOfAll(database, orgs),
      accounts.peersOf(orgs),
    ])
    const [rowsOf, statesOf, peersOf] = [groupByOrg(rows), groupByOrg(states), groupByOrg(peers)]
    const byOrg = new Map<string, DrawnOrg>()
    for (const org of orgs) {
      try {
        const known = new Map(statesOf.get(org)?.map(({ network, state }) => [network, state]))
        const opened = new Map(peersOf.get(org)?.map((peer) => [peer.account, peer.opened()]))
        const facts: FenceFacts = {
          networksOf: (kind) => catalogue.networksOf(kind),
          stateOf: (network) => known.get(network) ?? 'waiting',
          peerOf: (account) => peerTerms(opened.get(account)),
        }
        byOrg.set(org, this.#drawOrg(org, rowsOf.get(org) ?? [], facts))
      } catch (error) {
        logger.debug({ err: error, org }, 'the fences of an org cannot be drawn')
      }
    }
    return { byOrg, due: new Map(due.map(({ org, asked }) => [org, asked])) }
  }

  #drawOrg(org: string, rows: readonly store.PlacedOfOrg[], facts: FenceFacts): DrawnOrg {
    const { planes, fleets } = this.#parts
    const wanted = environments.map((env) => {
      const isTaken = ({ number }: store.PlacedOfOrg) => planes.isEmbedded(env) || !isExtension(number)
      const placed = rows.filter((row) => row.is_phone && row.env === env && isTaken(row))
      return wantedAdmission({ org, env }, fleets[env], placed, facts)
    })
    const admitted = new Set(wanted.flatMap(({ fences }) => fences.flatMap(({ numbers }) => numbers)))
    const differing = rows.filter((row) => row.is_admitted !== admitted.has(row.number))
    const numbersOf = (some: readonly store.PlacedOfOrg[]) => some.map(({ number }) => number)
    return {
      wanted,
      unadmitted: numbersOf(differing.filter(({ is_admitted }) => !is_admitted)),
      overadmitted: numbersOf(differing.filter(({ is_admitted }) => is_admitted)),
    }
  }
}

const wantedOf = (byOrg: ReadonlyMap<string, DrawnOrg>) => [...byOrg.values()].flatMap(({ wanted }) => wanted)

const groupByOrg = <Row extends { org: string }>(rows: readonly Row[]) => Map.groupBy(rows, ({ org }) => org)
