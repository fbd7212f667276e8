import { mostScenarios } from '@switchroom/contract/eval-names'
import type {
  ChangeScenario,
  CreateScenario,
  ListedScenario,
  Scenario,
  ScenarioAsked,
  ScenarioDefinition,
  ScenarioList,
  ScenariosAsked,
} from '@switchroom/contract/evals'
import type { Agents } from '../../agents/agents.ts'
import { refuseMalformedSlug } from '../../agents/scope.ts'
import { authorOf } from '../../agents/versions/versions.ts'
import { recordAudit } from '../../audit/recording.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { outsideList, type Caller } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { conflict, notFound, unprocessable } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import { kindOfScenario, refuseUnsound } from './definition-rules.ts'
import * as store from './scenarios.store.ts'

/** A scenario as a run calls with it. */
export interface ChosenScenario {
  name: string
  /** Null if the run brought it along. */
  version: number | null
  definition: ScenarioDefinition
}

export interface ScenariosParts {
  database: Database
  clock: Clock
  agents: Agents
}

/** Scenarios that are kept with an agent in an environment. */
export class Scenarios {
  readonly #parts: ScenariosParts

  constructor(parts: ScenariosParts) {
    this.#parts = parts
  }

  async list(caller: Caller, { agent }: ScenariosAsked): Promise<ScenarioList> {
    const { org, env, agents } = caller
    const rows = await store.listScenarios(this.#parts.database, org, env, agent, agents)
    return { scenarios: rows.map(listed) }
  }

  async read(caller: Caller, id: string, { version: said }: ScenarioAsked): Promise<Scenario> {
    const version = said === undefined ? undefined : versionIn(said)
    const newest = await this.#find(caller, id)
    if (version === undefined) return shown(newest)
    const row = await store.findScenario(this.#parts.database, id, caller.org, caller.env, version)
    if (!row) throw notFound(`scenario ${newest.name} never had a v${version}`)
    return shown(row)
  }

  async create(caller: Caller, { agent, ...definition }: CreateScenario): Promise<Scenario> {
    refuseMalformedSlug(agent)
    refuseUnsound(definition)
    const { database, clock } = this.#parts
    const place = { org: caller.org, env: caller.env, agent }
    const id = newId('scn', 8)
    return database.transaction(async (tx) => {
      await this.#refuseTaken(tx, place, definition.name)
      if ((await store.countScenarios(tx, place)) >= mostScenarios)
        throw conflict(
          `${agent} has ${mostScenarios} scenarios in the ${caller.env}, the most: delete one first`,
        )
      await store.insertScenario(tx, id, place, definition.name)
      const version = { definition, author: authorOf(caller), at: clock.now() }
      await store.insertVersion(tx, id, 1, version)
      await recordAudit(tx, caller, 'scenario.created', targetOf(id, definition), {
        env: caller.env,
        detail: { agent },
      })
      return shown(there(await store.findScenario(tx, id, caller.org, caller.env)))
    })
  }

  async change(caller: Caller, id: string, wanted: ChangeScenario): Promise<Scenario> {
    const { if_version, ...definition } = wanted
    refuseUnsound(definition)
    const { database, clock } = this.#parts
    const { agent } = await this.#find(caller, id)
    return database.transaction(async (tx) => {
      await this.#refuseTaken(tx, { org: caller.org, env: caller.env, agent }, definition.name, id)
      const before = await store.findScenario(tx, id, caller.org, caller.env)
      if (!before) throw unknown(id)
      const { version } = before
      if (if_version !== undefined && if_version !== version)
        throw conflict(`scenario ${before.name} is at v${version} now: read it again, then change it`).as(
          'STALE_VERSION',
        )
      await store.nameVersion(tx, id, definition.name, version + 1)
      await store.insertVersion(tx, id, version + 1, {
        definition,
        author: authorOf(caller),
        at: clock.now(),
      })
      const detail = { agent, version: { before: version, after: version + 1 } }
      await recordAudit(tx, caller, 'scenario.changed', targetOf(id, definition), { env: caller.env, detail })
      return shown(there(await store.findScenario(tx, id, caller.org, caller.env)))
    })
  }

  /** With all its versions; runs keep what they called with. */
  async remove(caller: Caller, id: string): Promise<void> {
    const { agent, definition } = await this.#find(caller, id)
    await this.#parts.database.transaction(async (tx) => {
      await this.#parts.agents.lock(tx, caller.org, agent)
      if (!(await store.findScenario(tx, id, caller.org, caller.env))) throw unknown(id)
      await store.deleteScenario(tx, id)
      await recordAudit(tx, caller, 'scenario.deleted', targetOf(id, definition), {
        env: caller.env,
        detail: { agent },
      })
    })
  }

  /** Those of these names, or all of the agent. */
  async chosen(
    caller: Caller,
    agent: string,
    names: readonly string[] | undefined,
  ): Promise<ChosenScenario[]> {
    const place = { org: caller.org, env: caller.env, agent }
    const rows = await store.findNamed(this.#parts.database, place, names)
    const missing = names?.find((name) => !rows.some((row) => row.name === name))
    if (missing !== undefined) throw notFound(`${agent} has no scenario ${missing} in the ${caller.env}`)
    return rows.map(({ name, version, definition }) => ({ name, version, definition }))
  }

  async #find(caller: Caller, id: string): Promise<store.ScenarioRow> {
    const row = await store.findScenario(this.#parts.database, id, caller.org, caller.env)
    if (!row) throw unknown(id)
    if (caller.agents.length > 0 && !caller.agents.includes(row.agent)) throw outsideList(caller)
    return row
  }

  /** The agent stays locked, so that no other request gives the name away. */
  async #refuseTaken(tx: Transaction, place: store.ScenarioPlace, name: string, own?: string) {
    await this.#parts.agents.lock(tx, place.org, place.agent)
    const [taken] = await store.findNamed(tx, place, [name])
    if (taken && taken.id !== own)
      throw conflict(
        `${place.agent} has a scenario ${name} in the ${place.env} already: change ${taken.id}, or name this one otherwise`,
      )
  }
}

const unknown = (id: string) => notFound(`there is no scenario ${id}`)

const targetOf = (id: string, { name }: ScenarioDefinition) =>
  ({ kind: 'scenario', id, label: name }) as const

function there(row: store.ScenarioRow | undefined): store.ScenarioRow {
  if (!row) throw new Error('a scenario that was written is there')
  return row
}

const headOf = ({ id, agent, env, name, version, author, changed_at, definition }: store.ScenarioRow) => ({
  id,
  agent,
  env,
  name,
  kind: kindOfScenario(definition),
  version,
  author,
  changed_at,
})

const shown = (row: store.ScenarioRow): Scenario => ({ ...headOf(row), definition: row.definition })

const listed = (row: store.ScenarioRow): ListedScenario => ({
  ...headOf(row),
  description: row.definition.description ?? '',
})

function versionIn(said: string): number {
  if (!/^[1-9]\d{0,8}$/.test(said)) throw unprocessable('version: must be a whole number from 1')
  return Number(said)
}
