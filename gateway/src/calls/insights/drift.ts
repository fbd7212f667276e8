import { isDeepStrictEqual } from 'node:util'
import type { Drift, DriftAsked, VersionFared } from '@switchroom/contract/calls'
import { knobs } from '@switchroom/contract/knobs'
import type { Config } from '@switchroom/contract/settings'
import { scopeOf, teamFlag } from '../../agents/scope.ts'
import type { Versions } from '../../agents/versions/versions.ts'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { badRequest } from '../../foundation/refusals.ts'
import type { SlowRequests } from '../../http/slow-requests.ts'
import * as store from './drift.store.ts'

/** How two versions of a scope fared on the calls that ran them. */
export class Drifts {
  readonly #database: Database
  readonly #versions: Versions<Config>
  readonly #slow: SlowRequests

  constructor(database: Database, versions: Versions<Config>, slow: SlowRequests) {
    this.#database = database
    this.#versions = versions
    this.#slow = slow
  }

  async compare(caller: Caller, asked: DriftAsked): Promise<Drift> {
    const scope = scopeOf(caller, asked.agent, teamFlag(asked.team))
    const [before, after] = [versionOf('before', asked.before), versionOf('after', asked.after)]
    const older = await this.#versions.find(scope, before)
    const newer = await this.#versions.find(scope, after)
    const fared = await this.#slow.run(scope.org, () =>
      store.countByVersion(this.#database, scope, [before, after]),
    )
    const faredOn = (version: number) =>
      fared.find((counted) => counted.version === version) ?? unused(version)
    return {
      agent: asked.agent,
      world: scope.env,
      before: faredOn(before),
      after: faredOn(after),
      fields: knobs.filter((knob) => !isDeepStrictEqual(older.content[knob], newer.content[knob])),
    }
  }
}

function versionOf(name: 'before' | 'after', said = ''): number {
  const [, digits] = /^v(0|[1-9]\d{0,8})$/.exec(said) ?? []
  if (digits === undefined) throw badRequest(`${name} is a version such as v3`)
  return Number(digits)
}

const unused = (version: number): VersionFared => ({
  version,
  calls: 0,
  errors: 0,
  llm_timeouts: 0,
  avg_duration_s: null,
})
