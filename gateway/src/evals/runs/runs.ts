import {
  evalOutcomes,
  mostAtOnce,
  mostAttempts,
  mostRunning,
  mostTimes,
} from '@switchroom/contract/eval-names'
import type {
  AttemptPage,
  AttemptsAsked,
  EvalRun,
  RunList,
  RunsAsked,
  StartRun,
} from '@switchroom/contract/evals'
import { refuseMalformedSlug } from '../../agents/scope.ts'
import type { Versions } from '../../agents/versions/versions.ts'
import { authorOf } from '../../agents/versions/versions.ts'
import { recordAudit } from '../../audit/recording.ts'
import type { TestCalls } from '../../calls/written/test-calls.ts'
import type { RanScope } from '../../calls/records/records.ts'
import { inBatches } from '../../database/batches.ts'
import type { Database } from '../../database/database.ts'
import type { Lives } from '../../database/lives.ts'
import { outsideList, type Caller } from '../../foundation/caller.ts'
import { later, type Clock } from '../../foundation/clock.ts'
import { cursorOf, placeIn } from '../../foundation/cursors.ts'
import { badRequest, conflict, notFound, tooMany, unprocessable } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import { refuseUnsound } from '../scenarios/definition-rules.ts'
import type { ChosenScenario, Scenarios } from '../scenarios/scenarios.ts'
import { targetOf, type RunTarget } from './run-targets.ts'
import type { RunNotices } from './run-notices.ts'
import * as store from './runs.store.ts'

const usualAtOnce = 5
const deletedAtOnce = 20

export interface RunsParts {
  database: Database
  clock: Clock
  runNotices: RunNotices
  lives: Pick<Lives, 'keptMs'>
  orgs: Orgs
  scenarios: Scenarios
  testCalls: TestCalls
  settingsVersions: Pick<Versions<object>, 'find'>
}

export type { RunScenario, SettledAttempt } from './runs.store.ts'

/** Runs of scenarios: how they are started, read and cancelled. Their calls are made by `attempts/`. */
export class Runs {
  readonly #parts: RunsParts

  constructor(parts: RunsParts) {
    this.#parts = parts
  }

  async start(caller: Caller, wanted: StartRun): Promise<EvalRun> {
    refuseMalformedSlug(wanted.agent)
    const target = targetOf(caller, wanted)
    const times = within('times', wanted.times ?? 1, mostTimes)
    const concurrency = within('concurrency', wanted.concurrency ?? usualAtOnce, mostAtOnce)
    if (wanted.voiced === true)
      throw badRequest('voiced: runs make written calls: leave it out, or say false')
    const scenarios = await this.#scenariosOf(caller, wanted)
    const total = scenarios.length * times
    if (total > mostAttempts)
      throw badRequest(
        `a run makes at most ${mostAttempts} calls (got ${scenarios.length} scenarios ${times} times)`,
      )
    const { settings, configVersion } = await this.#settingsOf(caller, target)
    const { database, clock, orgs, runNotices } = this.#parts
    const { org, env } = caller
    const { against, scope } = target
    const { agent, holder } = scope
    const id = newId('run', 8)
    const run = { id, org, env, agent, holder, against, settings, configVersion, times, concurrency, total }
    const row = await database.transaction(async (tx) => {
      await orgs.lock(tx, org) // held, so that two requests cannot both start the last one
      if ((await store.countUnfinished(tx, org, env)) >= mostRunning)
        throw tooMany(
          `org ${caller.slug} has ${mostRunning} runs under way in the ${env}, the most: wait until one is over, or cancel one`,
        ).as('QUOTA_EXCEEDED')
      await store.insertRun(tx, { ...run, createdBy: authorOf(caller) }, clock.now())
      await store.insertCalls(tx, run, scenarios, clock.now())
      const detail = { agent, against, calls: total }
      await recordAudit(tx, caller, 'eval_run.started', { kind: 'eval_run', id, label: id }, { env, detail })
      return store.findRun(tx, id, org, env)
    })
    runNotices.send(id)
    return shown(there(row))
  }

  async list(caller: Caller, asked: RunsAsked): Promise<RunList> {
    const { org, env, agents } = caller
    const limit = limitOf(asked.limit, 50, 100)
    const before = asked.after === undefined ? undefined : placeIn(asked.after, 'whole')[0]
    const of = { org, env, agent: asked.agent, agents }
    const rows = await store.listRuns(this.#parts.database, of, before, limit + 1)
    const last = rows.length > limit ? rows[limit - 1] : undefined
    return { runs: rows.slice(0, limit).map(shown), next: last ? cursorOf(last.ordinal) : null }
  }

  async read(caller: Caller, id: string): Promise<EvalRun> {
    const row = await store.findRun(this.#parts.database, id, caller.org, caller.env)
    if (!row) throw notFound(`there is no run ${id}`)
    if (caller.agents.length > 0 && !caller.agents.includes(row.agent)) throw outsideList(caller)
    return shown(row)
  }

  async attempts(caller: Caller, id: string, asked: AttemptsAsked): Promise<AttemptPage> {
    await this.read(caller, id)
    const outcome = evalOutcomes.find((known) => known === asked.outcome)
    if (asked.outcome !== undefined && !outcome)
      throw badRequest(`outcome is one of ${evalOutcomes.join(', ')}`)
    const limit = limitOf(asked.limit, 100, 200)
    const after = asked.after === undefined ? -1 : placeIn(asked.after, 'whole')[0]
    const of = { outcome, scenario: asked.scenario }
    const rows = await store.listAttempts(this.#parts.database, id, of, after, limit + 1)
    const last = rows.length > limit ? rows[limit - 1] : undefined
    return { attempts: rows.slice(0, limit), next: last ? cursorOf(last.place) : null }
  }

  /** A run with what it calls with, and every call that has settled. */
  async settled(caller: Caller, id: string) {
    const { database } = this.#parts
    const run = await this.read(caller, id)
    const [scenarios, settled] = await Promise.all([
      store.listScenarios(database, id),
      store.listSettled(database, id),
    ])
    return { run, scenarios, settled }
  }

  /** What was made with it so far stays; calls under way are ended. */
  async cancel(caller: Caller, id: string): Promise<EvalRun> {
    await this.read(caller, id)
    const { database, clock, runNotices } = this.#parts
    const { org, env } = caller
    const row = await database.transaction(async (tx) => {
      const locked = await store.lockRun(tx, id)
      if (!locked) throw notFound(`there is no run ${id}`)
      if (locked.state !== 'running') throw conflict(`run ${id} is ${locked.state} already`)
      await store.cancelRun(tx, id, clock.now())
      await recordAudit(tx, caller, 'eval_run.cancelled', { kind: 'eval_run', id, label: id }, { env })
      return store.findRun(tx, id, org, env)
    })
    runNotices.send(id)
    return shown(there(row))
  }

  /** Runs go with the records of their calls. */
  async deleteExpired(database: Database = this.#parts.database) {
    const { clock, lives } = this.#parts
    const keptMs = await lives.keptMs('calls')
    if (keptMs === undefined) return
    const before = later(clock.now(), -keptMs)
    await inBatches(new AbortController().signal, () => store.deleteOldRuns(database, before, deletedAtOnce))
  }

  async #scenariosOf(caller: Caller, { agent, scenarios: names, definitions = [] }: StartRun) {
    for (const definition of definitions) refuseUnsound(definition)
    const brought = definitions.map((definition): ChosenScenario => ({
      name: definition.name,
      version: null,
      definition,
    }))
    const kept =
      names === undefined && brought.length > 0
        ? []
        : await this.#parts.scenarios.chosen(caller, agent, names)
    const all = [...kept, ...brought]
    const twice = all.find(({ name }, place) => all.findIndex((one) => one.name === name) !== place)
    if (twice) throw badRequest(`scenario ${twice.name} is named twice`)
    if (all.length === 0)
      throw badRequest(
        `${agent} has no scenarios in the ${caller.env}: bring definitions, or keep some first`,
      )
    return all
  }

  /** The same for every call of the run, whatever is set meanwhile. */
  async #settingsOf(caller: Caller, { scope, version }: RunTarget) {
    const { testCalls, settingsVersions } = this.#parts
    if (version !== undefined) await settingsVersions.find(scope, version)
    const resolution = await testCalls.resolve(caller, scope)
    if (version !== undefined)
      return { settings: [{ holder: scope.holder, version, picked: false }], configVersion: version }
    const settings = resolution.scopes.map(({ holder, version: ran }): RanScope => ({
      holder,
      version: ran,
      picked: false,
    }))
    return { settings, configVersion: resolution.config_version }
  }
}

function within(name: string, said: number, most: number): number {
  if (said < 1 || said > most) throw badRequest(`${name} must be between 1 and ${most} (got ${said})`)
  return said
}

function limitOf(said: string | undefined, usual: number, most: number): number {
  if (said === undefined) return usual
  const limit = /^\d{1,4}$/.test(said) ? Number(said) : 0
  if (limit < 1 || limit > most) throw unprocessable(`limit: must be 1 to ${most}`)
  return limit
}

function there(row: store.RunRow | undefined): store.RunRow {
  if (!row) throw new Error('a run that was written is there')
  return row
}

export function shown(row: store.RunRow): EvalRun {
  const { total, passed, failed, errors } = row
  const cancelled = row.state === 'cancelled' ? total - passed - failed - errors : 0
  return {
    id: row.id,
    agent: row.agent,
    env: row.env,
    state: row.state,
    against: row.against,
    config_version: row.config_version,
    voiced: false,
    times: row.times,
    concurrency: row.concurrency,
    counts: { total, passed, failed, errors, cancelled },
    created_by: row.created_by,
    created_at: row.created_at,
    finished_at: row.finished_at,
  }
}
