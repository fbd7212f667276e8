import type { AgentList, AppList } from '@switchroom/contract/apps'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { Refusal, tooMany } from '../../foundation/refusals.ts'
import type { Agents } from '../agents.ts'
import { ownerOf, type SettingsScope } from '../scope.ts'
import { fixedBy, type Declaration } from '../stages/declaration.ts'
import * as store from './connected-apps.store.ts'
import type { Registration } from './register-frame.ts'
import type { RunningGateways } from './running-gateways.ts'

export type { HolderRow, HoldingApp, SocketRow } from './connected-apps.store.ts'

/** An agent on the socket of an app that holds it. */
export interface Holding {
  socket: store.SocketRow
  agent: string
  app: string
  /** Whether this socket did not hold it before. */
  isNew: boolean
}

/**
 * Which app holds which agent, on whatever gateway its socket is: the newest that lives. In the sandbox a
 * person's app holds that person's copy; a person without one is served by the org's.
 */
export class ConnectedApps {
  readonly #database: Database
  readonly #clock: Clock
  readonly #agents: Agents
  readonly #gateways: RunningGateways

  constructor(database: Database, clock: Clock, agents: Agents, gateways: RunningGateways) {
    this.#database = database
    this.#clock = clock
    this.#agents = agents
    this.#gateways = gateways
  }

  /** An app's new socket, which holds nothing yet. */
  async connect(id: string, caller: Caller): Promise<store.SocketRow> {
    const { org, env, key_id } = caller
    const socket = { id, gateway: this.#gateways.id, org, env, holder: ownerOf(caller), key_id }
    const most = await store.openSocket(this.#database, socket, this.#gateways.alive.since, this.#clock.now())
    if (most !== null)
      throw tooMany(
        `org ${caller.slug} has ${most} app sockets open, its most: close one, or ask the operator`,
      )
    return socket
  }

  async disconnect(ids: readonly string[]) {
    await store.deleteSockets(this.#database, ids)
  }

  /** Creates the agent if it does not exist. */
  async register(socket: store.SocketRow, registration: Registration) {
    const { agent, declaration } = registration
    const fixed = fixedBy(declaration)
    await this.#database.transaction(async (tx) => {
      await this.#agents.lock(tx, socket.org, agent) // held, so that the last to register is the newest
      const others = await store.listOthers(tx, this.#gateways.alive, socket, registration)
      refuseHeld(registration, others)
      await store.insertRegistration(tx, socket, { ...registration, fixed })
    })
  }

  async unregister({ id }: store.SocketRow, agent: string) {
    await store.deleteRegistration(this.#database, id, agent)
  }

  /** What the class that holds the agent in this scope declares; null if no app holds it. */
  declarationFor(scope: SettingsScope): Promise<Declaration | null> {
    return store.findDeclaration(this.#database, this.#gateways.alive, scope)
  }

  /** The app that holds the agent in this scope, and the socket that reaches it. */
  async appFor(scope: SettingsScope): Promise<store.HoldingApp | null> {
    return (await store.findHolding(this.#database, this.#gateways.alive, scope)) ?? null
  }

  /** Every process that holds the agent, the newest first. */
  holdersOf(agent: Omit<SettingsScope, 'holder'>): Promise<store.HolderRow[]> {
    return store.listHolders(this.#database, this.#gateways.alive, agent)
  }

  async listApps({ org, env }: Caller): Promise<AppList> {
    return { apps: await store.listApps(this.#database, this.#gateways.alive, org, env) }
  }

  /** Every agent that was ever named, as it is held for the caller. */
  async listAgents(caller: Caller): Promise<AgentList> {
    const [slugs, held] = await Promise.all([
      this.#agents.list(caller.org),
      store.listHeld(this.#database, this.#gateways.alive, { ...caller, holder: ownerOf(caller) }),
    ])
    const byAgent = new Map(held.map((row) => [row.agent, row]))
    return { agents: slugs.map((agent) => entryOf(agent, byAgent.get(agent))) }
  }
}

/** An app that holds an agent exclusively shares it with no other app, and among its own processes only if they take turns. */
function refuseHeld(
  { agent, declaration: { app }, sharing }: Registration,
  others: readonly store.OtherHolding[],
) {
  const conflicting = others.filter((other) => !(sharing.balance && other.balance && other.app === app))
  const exclusive = conflicting.find((other) => other.exclusive)
  const [any] = conflicting
  if (exclusive)
    throw held(`the app ${exclusive.app} holds ${agent} exclusively: stop it, or hold another agent`)
  if (sharing.exclusive && any)
    throw held(`the app ${any.app} holds ${agent} already: stop it before you hold ${agent} exclusively`)
}

const held = (sentence: string) => new Refusal(409, sentence, {}, 'AGENT_HELD')

const entryOf = (agent: string, row: store.HeldRow | undefined) => ({
  agent,
  held: row !== undefined,
  app: row?.app ?? null,
  holder: row?.holder ?? '',
  fixed: row?.fixed ?? [],
})
