import type { Canary, CanaryView, Config, ScopeAsked, SetCanary } from '@switchroom/contract/settings'
import { recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { badRequest } from '../../foundation/refusals.ts'
import { scopeOf, teamFlag, type SettingsScope } from '../scope.ts'
import { authorOf, noteOf, type Versions } from '../versions/versions.ts'
import * as store from './canary.store.ts'

/** The one version of a scope that runs on some calls in a hundred, while the others run the newest beside it. */
export class Canaries {
  readonly #database: Database
  readonly #clock: Clock
  readonly #versions: Versions<Config>

  constructor(database: Database, clock: Clock, versions: Versions<Config>) {
    this.#database = database
    this.#clock = clock
    this.#versions = versions
  }

  async standing(scope: SettingsScope): Promise<Canary | null> {
    return (await store.findCanary(this.#database, scope)) ?? null
  }

  async read(caller: Caller, agent: string, { team }: ScopeAsked): Promise<CanaryView> {
    const scope = scopeOf(caller, agent, teamFlag(team))
    return viewOf(scope, await this.standing(scope))
  }

  /** With a share of 0 it still exists: its version runs on no call, and to end it would be a promotion. */
  async set(caller: Caller, agent: string, wanted: SetCanary): Promise<CanaryView> {
    const { version, share } = wanted
    if (share < 0 || share > 100) throw badRequest('share is 0 to 100 calls in a hundred')
    const note = noteOf(wanted.note)
    const scope = scopeOf(caller, agent, wanted.team)
    await this.#versions.find(scope, version) // never deleted, so it is still there at the next statement
    const canary = { version, share, note, author: authorOf(caller), set_at: this.#clock.now() }
    return this.#database.transaction(async (tx) => {
      const set = await store.replaceCanary(tx, scope, canary)
      if (scope.env === 'production')
        await recordAudit(tx, caller, 'canary.set', targetOf(scope), { detail: { version, share } })
      return viewOf(scope, set ?? null)
    })
  }

  async end(caller: Caller, agent: string, { team }: ScopeAsked): Promise<CanaryView> {
    const scope = scopeOf(caller, agent, teamFlag(team))
    return this.#database.transaction(async (tx) => {
      const [ended] = await store.deleteCanary(tx, scope)
      if (ended && scope.env === 'production')
        await recordAudit(tx, caller, 'canary.ended', targetOf(scope), { detail: ended })
      return viewOf(scope, null)
    })
  }
}

const targetOf = ({ agent }: SettingsScope) => ({ kind: 'agent', id: agent, label: agent }) as const

const viewOf = ({ env, holder }: SettingsScope, canary: Canary | null): CanaryView => ({
  world: env,
  holder,
  canary,
})
