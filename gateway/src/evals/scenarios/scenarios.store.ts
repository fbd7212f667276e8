import type { ScenarioDefinition } from '@switchroom/contract/evals'
import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

/** Where scenarios are kept: with an agent, in an environment. */
export interface ScenarioPlace {
  org: string
  env: Environment
  agent: string
}

export interface ScenarioRow {
  id: string
  agent: string
  env: Environment
  name: string
  version: number
  author: string
  changed_at: string
  definition: ScenarioDefinition
}

const columns = `s.id, s.agent, s.env, s.name, v.version, v.author, v.changed_at, v.definition`
const newest = `eval_scenarios s join eval_scenario_versions v on v.scenario = s.id and v.version = s.version`

const list = statement<ScenarioRow>(`
  select ${columns} from ${newest}
  where s.org = $1 and s.env = $2 and ($3::text is null or s.agent = $3)
    and (cardinality($4::text[]) = 0 or s.agent = any($4))
  order by s.agent, s.name`)

/** Of one agent or of all, and of these alone if there are any. */
export const listScenarios = (
  database: Queryable,
  org: string,
  env: Environment,
  agent: string | undefined,
  agents: readonly string[],
) => database.rows(list, org, env, agent, agents)

const one = statement<ScenarioRow>(`
  select ${columns} from eval_scenarios s
  join eval_scenario_versions v on v.scenario = s.id and v.version = coalesce($4, s.version)
  where s.id = $1 and s.org = $2 and s.env = $3`)

export const findScenario = (
  database: Queryable,
  id: string,
  org: string,
  env: Environment,
  version?: number,
) => database.row(one, id, org, env, version)

const named = statement<ScenarioRow>(`
  select ${columns} from ${newest} where s.org = $1 and s.env = $2 and s.agent = $3
    and ($4::text[] is null or s.name = any($4)) order by s.name`)

/** These, or all of the agent. */
export const findNamed = (
  database: Queryable,
  { org, env, agent }: ScenarioPlace,
  names: readonly string[] | undefined,
) => database.rows(named, org, env, agent, names)

const count = statement<{ count: number }>(`
  select count(*)::int as count from eval_scenarios where org = $1 and env = $2 and agent = $3`)

export const countScenarios = async (database: Queryable, { org, env, agent }: ScenarioPlace) =>
  (await database.row(count, org, env, agent))?.count ?? 0

const insert = statement(`
  insert into eval_scenarios (id, org, env, agent, name, version) values ($1, $2, $3, $4, $5, 1)`)

export const insertScenario = (
  tx: Transaction,
  id: string,
  { org, env, agent }: ScenarioPlace,
  name: string,
) => tx.rows(insert, id, org, env, agent, name)

const insertVersionOf = statement(`
  insert into eval_scenario_versions (scenario, version, definition, author, changed_at)
  values ($1, $2, $3, $4, $5)`)

export const insertVersion = (
  tx: Transaction,
  id: string,
  version: number,
  { definition, author, at }: { definition: ScenarioDefinition; author: string; at: Date },
) => tx.rows(insertVersionOf, id, version, JSON.stringify(definition), author, at)

const update = statement(`update eval_scenarios set name = $2, version = $3 where id = $1`)

export const nameVersion = (tx: Transaction, id: string, name: string, version: number) =>
  tx.rows(update, id, name, version)

const remove = statement(`delete from eval_scenarios where id = $1`)

export const deleteScenario = (tx: Transaction, id: string) => tx.rows(remove, id)
