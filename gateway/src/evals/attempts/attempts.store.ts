import type { EvalOutcome } from '@switchroom/contract/eval-names'
import type { ScenarioDefinition, Verdict } from '@switchroom/contract/evals'
import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import { checkOf, type Check } from '../../database/due-checks.ts'
import type { RanScope } from '../../calls/records/records.ts'

/** One call with one scenario, as the gateway that has it sees it. */
export interface ClaimedAttempt {
  id: string
  run: string
  claims: number
  call: string | null
  begun_at: string
  definition: ScenarioDefinition
  org: string
  slug: string
  env: Environment
  agent: string
  holder: string
  settings: RanScope[]
}

const due = statement(`select from eval_attempts where state <> 'settled' and due_at <= $1`)

export const dueCheck = (now: Date): Check => checkOf(due, now)

// The lock and `running` hold the bound: a run that another gateway claimed of meanwhile is looked at anew, or passed over.
const freeRun = statement<{ id: string }>(`
  select id from eval_runs r
  where state = 'running' and running < concurrency and exists (
    select from eval_attempts a where a.run = r.id and a.state = 'waiting' and a.due_at <= $1
  )
  order by running, ordinal limit 1 for update skip locked`)

/** A run that has a call to make and room for it, locked. */
export const lockFreeRun = (tx: Transaction, now: Date) => tx.row(freeRun, now)

const whole = `
  select claimed.id, claimed.run, claimed.claims, claimed.call, claimed.begun_at, s.definition,
    r.org, o.slug, r.env, r.agent, r.holder, r.settings
  from claimed join eval_runs r on r.id = claimed.run join orgs o on o.id = r.org
  join eval_run_scenarios s on s.run = claimed.run and s.name = claimed.scenario`
const taken = `state = 'running', runner = $2, due_at = $3, claims = claims + 1`

const claim = statement<ClaimedAttempt>(`
  with claimed as (
    update eval_attempts set ${taken}, begun_at = coalesce(begun_at, $4)
    where id = (
      select id from eval_attempts where run = $1 and state = 'waiting' and due_at <= $4 order by place limit 1
    )
    returning *
  ), counted as (
    update eval_runs set running = running + 1 from claimed where eval_runs.id = claimed.run
  ) ${whole}`)

/** The next of a run that is locked. */
export const claimNext = (tx: Transaction, run: string, gateway: string, until: Date, now: Date) =>
  tx.row(claim, run, gateway, until, now)

const adopt = statement<ClaimedAttempt>(`
  with claimed as (
    update eval_attempts set ${taken}
    where id = (
      select id from eval_attempts where state = 'running' and due_at <= $1 order by due_at limit 1
      for update skip locked
    )
    returning *
  ) ${whole}`)

/** One whose gateway died or gave it up. */
export const adoptAbandoned = (database: Queryable, now: Date, gateway: string, until: Date) =>
  database.row(adopt, now, gateway, until)

const own = `id = $1 and claims = $2 and state = 'running'`

const renew = statement<{ id: string }>(`update eval_attempts set due_at = $3 where ${own} returning id`)

/** Whether the claim still holds. */
export const renewClaim = async (database: Queryable, { id, claims }: ClaimedAttempt, until: Date) =>
  (await database.row(renew, id, claims, until)) !== undefined

const setCall = statement<{ id: string }>(
  `update eval_attempts set call = $3 where ${own} and call is null returning id`,
)

/** In the transaction that opens the call: whether the claim still holds. */
export const keepCall = async (tx: Transaction, { id, claims }: ClaimedAttempt, call: string) =>
  (await tx.row(setCall, id, claims, call)) !== undefined

const release = statement(`update eval_attempts set due_at = $3, runner = null where ${own}`)

/** For any gateway to take over at once. */
export const releaseClaim = (database: Queryable, { id, claims }: ClaimedAttempt, now: Date) =>
  database.rows(release, id, claims, now)

const lock = statement<{ state: string }>(`select state from eval_runs where id = $1 for update`)

export const lockRun = (tx: Transaction, run: string) => tx.row(lock, run)

const putBack = statement(`
  with back as (
    update eval_attempts set state = 'waiting', due_at = $3, runner = null where ${own} returning run
  )
  update eval_runs set running = running - 1 from back where eval_runs.id = back.run`)

/** Under the run's lock: to be claimed again then. */
export const postpone = (tx: Transaction, { id, claims }: ClaimedAttempt, until: Date) =>
  tx.rows(putBack, id, claims, until)

export interface Settled {
  outcome: Exclude<EvalOutcome, 'cancelled'>
  why: string | null
  verdicts: readonly Verdict[]
  latencies: readonly number[]
  credits: number
}

const settle = statement<{ isOver: boolean }>(`
  with settled as (
    update eval_attempts set state = 'settled', outcome = $3, why = $4, verdicts = $5, latencies_ms = $6,
      credits = $7, settled_at = $8, due_at = null, runner = null
    where ${own} returning run
  )
  update eval_runs set running = running - 1,
    passed = passed + ($3 = 'passed')::int, failed = failed + ($3 = 'failed')::int,
    errors = errors + ($3 = 'error')::int,
    state = case when passed + failed + errors + 1 = total then 'finished' else state end,
    finished_at = case when passed + failed + errors + 1 = total then $8::timestamptz end
  from settled where eval_runs.id = settled.run
  returning state = 'finished' as "isOver"`)

/** Under the run's lock; undefined if the claim no longer holds. */
export const settleAttempt = (tx: Transaction, { id, claims }: ClaimedAttempt, settled: Settled, now: Date) =>
  tx.row(
    settle,
    id,
    claims,
    settled.outcome,
    settled.why,
    JSON.stringify(settled.verdicts),
    JSON.stringify(settled.latencies).replace('[', '{').replace(']', '}'),
    settled.credits,
    now,
  )
