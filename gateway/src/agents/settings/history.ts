import { isDeepStrictEqual } from 'node:util'
import { knobs } from '@switchroom/contract/knobs'
import type {
  Config,
  DiffAsked,
  HistoryAsked,
  RollBack,
  SettingsDiff,
  SettingsHistory,
  SettingsView,
} from '@switchroom/contract/settings'
import type { Caller } from '../../foundation/caller.ts'
import { badRequest } from '../../foundation/refusals.ts'
import { scopeOf, teamFlag } from '../scope.ts'
import type { Versions } from '../versions/versions.ts'
import { rowOf } from './settings.ts'

type ReadSettings = (caller: Caller, agent: string) => Promise<SettingsView>

/** What an agent was set to: listed, compared with another scope, brought back. */
export class AgentHistory {
  readonly #versions: Versions<Config>
  readonly #read: ReadSettings

  constructor(versions: Versions<Config>, read: ReadSettings) {
    this.#versions = versions
    this.#read = read
  }

  async list(caller: Caller, agent: string, { team, limit }: HistoryAsked): Promise<SettingsHistory> {
    const scope = scopeOf(caller, agent, teamFlag(team))
    const versions = await this.#versions.history(scope, limit)
    return { world: scope.env, holder: scope.holder, versions: versions.map(rowOf) }
  }

  async diff(caller: Caller, agent: string, asked: DiffAsked): Promise<SettingsDiff> {
    const scope = scopeOf(caller, agent, teamFlag(asked.team))
    const against = againstOf(asked.against)
    const [here, there] = await Promise.all([
      this.#versions.newest(scope),
      this.#versions.newest({ ...scope, env: envOf[against], holder: '' }),
    ])
    const changes = changesBetween(here?.content ?? {}, there?.content ?? {})
    return {
      world: scope.env,
      against,
      version: here?.version ?? null,
      against_version: there?.version ?? null,
      fields: Object.keys(changes),
      changes,
    }
  }

  /** Copied as it is: nothing that was once stored is judged or tried again, and a canary stays as it is. */
  async rollBack(caller: Caller, agent: string, { version, team }: RollBack): Promise<SettingsView> {
    await this.#versions.copyForward(caller, scopeOf(caller, agent, team), version)
    return this.#read(caller, agent)
  }
}

/** The org's own scopes, by name. */
const envOf = { team: 'sandbox', production: 'production' } as const

function againstOf(said: string | undefined): keyof typeof envOf {
  if (said !== 'team' && said !== 'production') throw badRequest('against is team or production')
  return said
}

/** The knobs that differ between two rows as they were stored, in the order of the table. */
function changesBetween(here: Config, there: Config): SettingsDiff['changes'] {
  const changes = knobs
    .map((knob) => [knob, { here: here[knob] ?? null, there: there[knob] ?? null }] as const)
    .filter(([, values]) => !isDeepStrictEqual(values.here, values.there))
  return Object.fromEntries(changes)
}
