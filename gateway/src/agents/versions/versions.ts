import { changedNames, recordAudit } from '../../audit/recording.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { badRequest, conflict, notFound } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'
import type { Agents } from '../agents.ts'
import { scopeOf, type SettingsScope } from '../scope.ts'
import * as store from './versions.store.ts'

export type { VersionRow } from './versions.store.ts'

/** What one set leaves behind. */
interface SetContent<Content> {
  content: Content
  note: string | null
}

const longestNote = 500
const usualLimit = 50
const highestLimit = 200
const highestVersion = 2 ** 31 - 1 // what the column holds

/** The rows of one kind, settings or lexicons: each set is a new one, and none is ever changed. */
export class Versions<Content extends object> {
  readonly #database: Database
  readonly #clock: Clock
  readonly #agents: Agents
  readonly #kind: store.Kind

  constructor(database: Database, clock: Clock, agents: Agents, kind: store.Kind) {
    this.#database = database
    this.#clock = clock
    this.#agents = agents
    this.#kind = kind
  }

  async newest(scope: SettingsScope): Promise<store.VersionRow<Content> | null> {
    const [row] = await store.newestVersions<Content>(this.#database, this.#kind, scope, 1)
    return row ?? null
  }

  /** The own newest of each of the three scopes a person can see, never what falls through. */
  async three(caller: Caller, agent: string) {
    const own = scopeOf({ ...caller, env: 'sandbox' }, agent)
    const [yours, team, production] = await Promise.all([
      own.holder === '' ? null : this.newest(own),
      this.newest({ ...own, holder: '' }),
      this.newest({ ...own, holder: '', env: 'production' }),
    ])
    return { yours, team, production }
  }

  async history(scope: SettingsScope, limit: string | undefined): Promise<store.VersionRow<Content>[]> {
    return store.newestVersions<Content>(this.#database, this.#kind, scope, limitOf(limit))
  }

  async find(scope: SettingsScope, version: number): Promise<store.VersionRow<Content>> {
    const canBe = version > 0 && version <= highestVersion
    const row = canBe && (await store.findVersion<Content>(this.#database, this.#kind, scope, version))
    if (!row) throw notFound(`this corner never had a v${version}`)
    return row
  }

  /** Adds the next version to a scope that is at `ifVersion`; of several concurrent ones one does. */
  async add(
    caller: Caller,
    scope: SettingsScope,
    ifVersion: number,
    set: SetContent<Content>,
  ): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const before = await this.#held(tx, scope)
      const version = before?.version ?? 0
      if (version !== ifVersion) throw conflict(`this corner is at v${version} now`).as('STALE_VERSION')
      await this.#insert(tx, caller, scope, version + 1, set)
      await this.#record(tx, caller, scope, before, set)
    })
  }

  /** Adds a version equal to an old one, whatever version the scope is at. */
  async copyForward(caller: Caller, scope: SettingsScope, version: number): Promise<void> {
    const { content } = await this.find(scope, version)
    await this.#database.transaction(async (tx) => {
      const before = await this.#held(tx, scope)
      const at = before?.version ?? 0
      const set = { content, note: `rollback to v${version}` }
      await this.#insert(tx, caller, scope, at + 1, set)
      await this.#record(tx, caller, scope, before, set, version)
    })
  }

  /** The version the scope is at, and stays at for the rest of the transaction. */
  async #held(tx: Transaction, scope: SettingsScope): Promise<store.VersionRow<Content> | undefined> {
    await this.#agents.lock(tx, scope.org, scope.agent)
    const [row] = await store.newestVersions<Content>(tx, this.#kind, scope, 1)
    return row
  }

  async #insert(
    tx: Transaction,
    caller: Caller,
    scope: SettingsScope,
    version: number,
    set: SetContent<Content>,
  ) {
    const row = { ...set, version, author: authorOf(caller), set_at: this.#clock.now() }
    await store.insertVersion(tx, this.#kind, scope, row)
  }

  /** The values are in the version itself, under the access of an agent's settings. */
  async #record(
    tx: Transaction,
    caller: Caller,
    { agent, env }: SettingsScope,
    before: store.VersionRow<Content> | undefined,
    { content }: SetContent<Content>,
    rolledBackTo?: number,
  ) {
    if (env !== 'production') return
    const action = rolledBackTo !== undefined ? 'settings.rolled_back' : (`${this.#kind}.set` as const)
    const at = before?.version ?? 0
    const detail = {
      version: { before: at, after: at + 1 },
      ...(rolledBackTo !== undefined && { copied: rolledBackTo }),
      changed: changedNames(before?.content ?? {}, content),
    }
    await recordAudit(tx, caller, action, { kind: 'agent', id: agent, label: agent }, { env, detail })
  }
}

/** The person's name, or the label of a key that is not a person's. */
export const authorOf = ({ email, label }: Caller) => email ?? label

/** An empty note is no note. */
export function noteOf(said: string | null | undefined): string | null {
  if (!said) return null
  if (codePoints(said).length > longestNote) throw badRequest(`a note is at most ${longestNote} characters`)
  return said
}

function limitOf(said: string | undefined): number {
  if (said === undefined) return usualLimit
  if (!/^[1-9]\d*$/.test(said)) throw badRequest('limit is a whole number from 1')
  return Math.min(Number(said), highestLimit)
}
