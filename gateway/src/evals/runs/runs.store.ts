import type { EvalOutcome, EvalRunState, EvalTarget } from '@switchroom/contract/eval-names'
import type { Attempt, ScenarioDefinition, Verdict } from '@switchroom/contract/evals'
import type { Environment } from '@switchroom/contract/scopes'
import type { RanScope } from '../../calls/records/records.ts'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import type { ChosenScenario } from '../scenarios/scenarios.ts'

export interface RunRow {
  id: string
  ordinal: number
  agent: string
  env: Environment
  against: EvalTarget
  config_version: number | null
  times: number
  concurrency: number
  state: EvalRunState
  total: number
  passed: number
  failed: number
  errors: number
  created_by: string
  created_at: string
  finished_at: string | null
}

export interface NewRun extends Pick<RunRow, 'id' | 'agent' | 'env' | 'against' | 'times' | 'concurrency'> {
  org: string
  holder: string
  settings: readonly RanScope[]
  configVersion: number | null
  total: number
  createdBy: string
}

const columns = `id, ordinal, agent, env, against, config_version, times, concurrency, state, total, passed, failed,
  errors, created_by, created_at, finished_at`

const insert = statement(`
  insert into eval_runs (id, org, env, agent, holder, against, settings, config_version, times, concurrency, total,
    created_by, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`)

export const insertRun = (tx: Transaction, run: NewRun, now: Date) =>
  tx.rows(
    insert,
    run.id,
    run.org,
    run.env,
    run.agent,
    run.holder,
    run.against,
    JSON.stringify(run.settings),
    run.configVersion,
    run.times,
    run.concurrency,
    run.total,
    run.createdBy,
    now,
  )

const insertScenarios = statement(`
  insert into eval_run_scenarios (run, name, place, version, definition)
  select $1, one ->> 'name', place - 1, (one ->> 'version')::int, one -> 'definition'
  from json_array_elements($2::json) with ordinality as chosen (one, place)`)
const insertAttempts = statement(`
  insert into eval_attempts (id, run, place, scenario, number, due_at)
  select 'att_' || replace(gen_random_uuid()::text, '-', ''), $1, row_number() over (order by number, s.place) - 1,
    name, number, $3
  from eval_run_scenarios s cross join generate_series(1, $2::int) as number where s.run = $1`)

/** Every scenario is called with once before any is a second time. */
export async function insertCalls(
  tx: Transaction,
  run: Pick<NewRun, 'id' | 'times'>,
  scenarios: readonly ChosenScenario[],
  now: Date,
) {
  await tx.rows(insertScenarios, run.id, JSON.stringify(scenarios))
  await tx.rows(insertAttempts, run.id, run.times, now)
}

const countRunning = statement<{ count: number }>(`
  select count(*)::int as count from eval_runs where org = $1 and env = $2 and state = 'running'`)

export const countUnfinished = async (database: Queryable, org: string, env: Environment) =>
  (await database.row(countRunning, org, env))?.count ?? 0

const one = statement<RunRow>(`select ${columns} from eval_runs where id = $1 and org = $2 and env = $3`)

export const findRun = (database: Queryable, id: string, org: string, env: Environment) =>
  database.row(one, id, org, env)

const list = statement<RunRow>(`
  select ${columns} from eval_runs
  where org = $1 and env = $2 and ($3::text is null or agent = $3)
    and (cardinality($4::text[]) = 0 or agent = any($4)) and ($5::bigint is null or ordinal < $5)
  order by ordinal desc limit $6`)

export const listRuns = (
  database: Queryable,
  of: { org: string; env: Environment; agent: string | undefined; agents: readonly string[] },
  before: number | undefined,
  limit: number,
) => database.rows(list, of.org, of.env, of.agent, of.agents, before, limit)

const lock = statement<{ state: EvalRunState }>(`select state from eval_runs where id = $1 for update`)

export const lockRun = (tx: Transaction, id: string) => tx.row(lock, id)

const cancelAttempts = statement(`
  update eval_attempts set state = 'settled', outcome = 'cancelled', settled_at = $2, due_at = null, runner = null
  where run = $1 and state <> 'settled'`)
const cancel = statement(`
  update eval_runs set state = 'cancelled', running = 0, finished_at = $2 where id = $1`)

export async function cancelRun(tx: Transaction, id: string, now: Date) {
  await tx.rows(cancelAttempts, id, now)
  await tx.rows(cancel, id, now)
}

export interface AttemptRow extends Attempt {
  place: number
}

const attempts = statement<AttemptRow>(`
  select id, place, scenario, number, state, outcome, why, call, verdicts, latencies_ms, credits, settled_at
  from eval_attempts
  where run = $1 and ($2::text is null or outcome = $2) and ($3::text is null or scenario = $3) and place > $4
  order by place limit $5`)

export const listAttempts = (
  database: Queryable,
  run: string,
  of: { outcome: EvalOutcome | undefined; scenario: string | undefined },
  after: number,
  limit: number,
) => database.rows(attempts, run, of.outcome, of.scenario, after, limit)

export interface RunScenario {
  name: string
  version: number | null
  definition: ScenarioDefinition
}

const scenarios = statement<RunScenario>(`
  select name, version, definition from eval_run_scenarios where run = $1 order by place`)

export const listScenarios = (database: Queryable, run: string) => database.rows(scenarios, run)

export interface SettledAttempt {
  id: string
  scenario: string
  outcome: EvalOutcome
  why: string | null
  call: string | null
  verdicts: Verdict[]
  latencies_ms: number[]
  credits: number
}

const settled = statement<SettledAttempt>(`
  select id, scenario, outcome, why, call, verdicts, latencies_ms, credits from eval_attempts
  where run = $1 and state = 'settled' order by place`)

export const listSettled = (database: Queryable, run: string) => database.rows(settled, run)

const removeOld = statement<{ id: string }>(`
  delete from eval_runs where id in (
    select id from eval_runs where finished_at < $1 order by finished_at limit $2
  ) returning id`)

export const deleteOldRuns = async (database: Queryable, before: Date, limit: number) =>
  (await database.rows(removeOld, before, limit)).length
