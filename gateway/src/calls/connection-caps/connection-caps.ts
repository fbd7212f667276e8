import { usualCaps } from '@switchroom/contract/orgs'
import type { Logger } from 'pino'
import type { RunningGateways } from '../../agents/apps/running-gateways.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { dayMs, later, type Clock } from '../../foundation/clock.ts'
import { tooMany } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import * as store from './connection-caps.store.ts'

/** Called once, when the connection is closed. */
export type Release = () => void

export interface ConnectionCapsParts {
  database: Database
  clock: Clock
  logger: Logger
  gateways: Pick<RunningGateways, 'id' | 'alive'>
}

/** How many event streams a key and how many chats an org may have open, over all live gateways. */
export class ConnectionCaps {
  readonly #parts: ConnectionCapsParts
  /** Closed connections that are still listed. */
  readonly #closed = new Set<string>()
  #deleting: Promise<void> | undefined

  constructor(parts: ConnectionCapsParts) {
    this.#parts = parts
  }

  /** No cap for the platform's workers, which read the log of each call they run on one key for all orgs. */
  async openStream({ org, kind, key_id, label }: Caller): Promise<Release> {
    if (kind === 'fleet') return () => {}
    const id = newId('stream', 8)
    const most = await this.#open({ id, org, cap: 'event_streams', owner: key_id })
    if (most === null) return () => this.#close(id)
    throw tooMany(
      `the key ${label} has ${most} event streams open, the most that a key may have: close one, or ask the operator for more`,
    ).as('QUOTA_EXCEEDED')
  }

  async openChat({ org, slug }: Caller): Promise<Release> {
    const id = newId('chat', 8)
    const most = await this.#open({ id, org, cap: 'chats', owner: org })
    if (most === null) return () => this.#close(id)
    throw tooManyChats(slug, most)
  }

  /** A chat whose client has disconnected counts until it ends. */
  async admitChat(tx: Transaction, { org, slug }: Pick<Caller, 'org' | 'slug'>) {
    const most = await store.chatsAtCap(tx, org, usualCaps.chats)
    if (most !== null) throw tooManyChats(slug, most)
  }

  /** Retries connections that closed while the database did not answer, and removes those of gateways long dead. */
  async deleteExpired(database: Queryable = this.#parts.database) {
    await this.#deleteClosed()
    await store.deleteLost(database, later(this.#parts.clock.now(), -dayMs))
  }

  #open(connection: Pick<store.NewConnection, 'id' | 'org' | 'cap' | 'owner'>): Promise<number | null> {
    const { database, clock, gateways } = this.#parts
    const wanted = { ...connection, gateway: gateways.id, usual: usualCaps[connection.cap] }
    return store.openConnection(database, wanted, gateways.alive.since, clock.now())
  }

  #close(id: string) {
    this.#closed.add(id)
    void this.#deleteClosed()
  }

  #deleteClosed(): Promise<void> {
    return (this.#deleting ??= this.#deleteAll().finally(() => (this.#deleting = undefined)))
  }

  /** Connections that close together are deleted together. */
  async #deleteAll() {
    try {
      while (this.#closed.size > 0) {
        const ids = [...this.#closed]
        await store.deleteConnections(this.#parts.database, ids)
        for (const id of ids) this.#closed.delete(id)
      }
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'closed connections could not be deleted')
    }
  }
}

const tooManyChats = (slug: string, most: number) =>
  tooMany(`org ${slug} has ${most} chats open, its most: end one, or ask the operator for more`).as(
    'QUOTA_EXCEEDED',
  )
