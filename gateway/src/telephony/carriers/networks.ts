import {
  networkStates,
  type AskedNetwork,
  type AskedNetworks,
  type NetworkState,
} from '@switchroom/contract/carriers'
import { recordAudit } from '../../audit/recording.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { Operator } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { badRequest, notFound } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import type { Firewall } from './firewall.ts'
import * as store from './networks.store.ts'

interface Parts {
  database: Database
  clock: Clock
  firewall: Firewall
  /** Admits an org's numbers again, in both environments; a failure is kept for a retry and never thrown. */
  readmit: (org: string) => Promise<void>
}

/** The networks that orgs send calls from, each held back until the operator approves it. */
export class Networks {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** One asked for before keeps its state: nothing the org does moves it. */
  async ask(
    tx: Transaction,
    org: string,
    networks: readonly string[],
    by: { account?: string; number?: string },
    now: Date = this.#parts.clock.now(),
  ): Promise<void> {
    const ids = networks.map(() => newId('net', 6))
    const { account = null, number = null } = by
    await store.insertNetworks(tx, ids, org, networks, { account, number }, now)
  }

  async statesOf(
    database: Queryable,
    org: string,
    networks: readonly string[],
  ): Promise<Map<string, NetworkState>> {
    const rows = await store.statesOf(database, org, networks)
    return new Map(rows.map(({ network, state }) => [network, state]))
  }

  /** Of everything that these orgs ever asked for. */
  statesOfAll(
    database: Queryable,
    orgs: readonly string[],
  ): Promise<{ org: string; network: string; state: NetworkState }[]> {
    return store.statesOfAll(database, orgs)
  }

  async list(asked: string = 'waiting'): Promise<AskedNetworks> {
    const state = networkStates.find((known) => known === asked)
    if (!state) throw badRequest(`state: must be one of ${networkStates.join(', ')}`)
    return { networks: (await store.listNetworks(this.#parts.database, state)).map(shown) }
  }

  approve(by: Operator, id: string): Promise<AskedNetwork> {
    return this.#move(by, id, 'approved')
  }

  refuse(by: Operator, id: string): Promise<AskedNetwork> {
    return this.#move(by, id, 'refused')
  }

  /** From any state; what it means for numbers follows at once. */
  async #move(by: Operator, id: string, state: 'approved' | 'refused'): Promise<AskedNetwork> {
    const { database, firewall, readmit } = this.#parts
    const [row, isMoved] = await database.transaction(async (tx) => {
      const found = await store.lockNetwork(tx, id)
      if (!found) throw notFound(`there is no network ${id}`)
      if (found.state === state) return [found, false] as const
      await store.setState(tx, id, state)
      const { org, network } = found
      const detail = { state: { before: found.state, after: state } }
      await recordAudit(tx, by, `network.${state}`, { kind: 'network', id, label: network }, { org, detail })
      return [{ ...found, state }, true] as const
    })
    if (isMoved) await firewall.around(() => readmit(row.org))
    return shown(row)
  }
}

const shown = (row: store.NetworkRow): AskedNetwork => ({ ...row, asked_at: Date.parse(row.asked_at) / 1000 })
