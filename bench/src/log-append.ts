import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { NewEntry } from '@switchroom/contract/log'
import { Database, statement } from '@switchroom/gateway/database/database'
import { DirectConnection } from '@switchroom/gateway/database/direct-connection'
import { PostgresSignals } from '@switchroom/gateway/database/postgres-signals'
import { systemClock } from '@switchroom/gateway/foundation/clock'
import { makeLogger } from '@switchroom/process/logging'
import { Log } from '@switchroom/gateway/calls/log/log'
import { callLog, stamped, type LogRef } from '@switchroom/gateway/calls/log/entries'
import { LiveLogs } from '@switchroom/gateway/calls/log/live-logs'
import { startBenchDeployment } from './deployment.ts'
import { judge, median, percentile, say } from './report.ts'

const calls = 1200
const perCallAndSecond = 2.1
const steadyMs = 20_000
const roundMs = 3000
const rounds = 5
/** Live calls a core that a peer's own log carried at the same pace. */
const callsOfPeer = 330

const bareInsert = statement(`
  with added as (
    insert into bare_entries (log, seq, ts, type, entry, org)
    select * from unnest($1::text[], $2::int[], $3::float8[], $4::text[], $5::text[], $6::text[])
    returning log, seq, entry, org
  )
  insert into bare_words (call, seq, words)
  select log, seq, words || seeded_mark(seed, 'agent', agent) || seeded_mark(seed, 'channel', channel)
  from added join calls on calls.id = log
  cross join lateral (select shelf_seed(calls.org, env, shelf_of(ordinal)) as seed offset 0) as own
  cross join lateral (select seeded_words(seed, entry::json -> 'data' ->> 'text') as words offset 0) as said
  where added.org is not null and words is not null`)
/** Whose words are searched for: their rows name the org. */
const searched = new Set(['user.message', 'agent.message'])

/** What a spoken turn leaves in its log. */
const spoken: readonly NewEntry[] = [
  { type: 'user.message', data: { text: 'I would like to change my reservation.', messageId: 'm_1' } },
  { type: 'turn.end', data: { text: 'I would like to change my reservation.', probability: 0.93 } },
  { type: 'metrics', data: { stage: 'llm', vendor: 'openai', model: 'gpt-4o', input: 812, output: 34 } },
  { type: 'agent.message', data: { text: 'Of course, to which day?', messageId: 'm_2', source: 'model' } },
  { type: 'bot.speaking', data: { messageId: 'm_2', text: 'Of course, to which day?' } },
  { type: 'metrics', data: { stage: 'tts', vendor: 'openai', model: 'gpt-4o-mini-tts', characters: 24 } },
  { type: 'bot.finished', data: { messageId: 'm_2', durationMs: 1840 } },
]
const fact = (n: number): NewEntry => spoken[n % spoken.length] ?? { type: 'turn.continued', data: {} }

/** What the log writes a second against the same rows in bare inserts, and how long an append takes under a day's load. */
export async function logAppend(): Promise<boolean> {
  await using deployment = await startBenchDeployment()
  const database = new Database(deployment.databaseUrl, () => {})
  const { id: org } = await deployment.ask('POST', '/v1/ops/orgs', { slug: 'bench' })
  const logger = makeLogger('error', process.stderr)
  const gateway = 'gw_bench'
  const direct = new DirectConnection(deployment.databaseUrl, logger)
  const signals = new PostgresSignals(direct, logger)
  const liveLogs = new LiveLogs(database, signals, gateway, logger)
  const charge = async () => {}
  const log = new Log({ database, clock: systemClock, logger, liveLogs, signals, gateway, charge })
  await signals.start()
  await direct.start()
  await database.pool.query('create table bare_entries (like entries_without_month including all)')
  await database.pool.query('create table bare_words (like turn_words including all)')
  const logs = await openLogs(database, log, org)

  const isFast = await measureRates(database, log, logs)
  const isSteady = await measureSteady(log, logs)
  await signals.stop()
  await direct.stop()
  await database.close()
  return isFast && isSteady
}

async function openLogs(database: Database, log: Log, org: string): Promise<LogRef[]> {
  await database.pool.query(`insert into agents (org, slug, created_at) values ($1, 'desk', now())`, [org])
  const ids = Array.from({ length: calls }, () => `call_${randomBytes(12).toString('hex')}`)
  await database.pool.query(
    `insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary)
     select id, $1, 'desk', 'sandbox', '', 'chat', now(), '[]', false from unnest($2::text[]) as opened (id)`,
    [org, ids],
  )
  const logs = ids.map((id) => callLog({ id, org, env: 'sandbox', agent: 'desk' }))
  for (const ref of logs) await log.open(database, ref)
  return logs
}

/** Every call appends again as soon as it is answered; the bare insert gets as many rows at once as the log then has. */
async function measureRates(database: Database, log: Log, logs: readonly LogRef[]): Promise<boolean> {
  let bareSeq = 0
  const writeLog = async () => {
    let rows = 0
    const until = performance.now() + roundMs
    const keepWriting = async (ref: LogRef) => {
      while (performance.now() < until) {
        const kept = await log.append(ref, [fact(rows), fact(rows + 1)])
        rows += kept.length
      }
    }
    return perSecond(
      () => Promise.all(logs.map(keepWriting)),
      () => rows,
    )
  }
  const writeBare = async () => {
    let rows = 0
    const until = performance.now() + roundMs
    return perSecond(
      async () => {
        while (performance.now() < until) {
          bareSeq += 2
          const inserted = await insertBare(database, logs, bareSeq)
          rows += inserted
        }
      },
      () => rows,
    )
  }
  await writeLog() // warm
  await writeBare()
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const [ours, bare] = [await writeLog(), await writeBare()]
    ratios.push(ours / bare)
    say(`  round ${round + 1}: ${Math.round(ours)} entries a second, ${Math.round(bare)} bare rows`)
  }
  return judge('entries appended against bare multi-row inserts of the same rows', median(ratios), {
    atLeast: 0.5,
  })
}

async function insertBare(database: Database, logs: readonly LogRef[], seq: number): Promise<number> {
  const now = new Date()
  const rows = logs.flatMap((ref, index) =>
    [seq, seq + 1].map((at) => ({ ref, at, entry: stamped(ref, fact(at + index), now) })),
  )
  await database.rows(
    bareInsert,
    rows.map(({ ref }) => ref.id),
    rows.map(({ at }) => at),
    rows.map(({ entry }) => entry.ts),
    rows.map(({ entry }) => entry.type),
    rows.map(({ at, entry }) => `{"seq":${at}${entry.rest}`),
    rows.map(({ ref, entry }) => (searched.has(entry.type) ? ref.org : null)),
  )
  return rows.length
}

async function perSecond(work: () => Promise<unknown>, rows: () => number): Promise<number> {
  const begunMs = performance.now()
  await work()
  return (rows() * 1000) / (performance.now() - begunMs)
}

/** Each call at its own pace, with its own phase, whatever the others do. */
async function measureSteady(log: Log, logs: readonly LogRef[]): Promise<boolean> {
  const everyMs = 1000 / perCallAndSecond
  const times: number[] = []
  const usedBefore = process.cpuUsage()
  const begunMs = performance.now()
  const pending = new Set<Promise<void>>()
  const append = async (ref: LogRef, n: number) => {
    const before = performance.now()
    await log.append(ref, [fact(n)])
    times.push(performance.now() - before)
  }
  const live = async (ref: LogRef, index: number) => {
    const phaseMs = (index / logs.length) * everyMs
    for (let n = 0; n * everyMs + phaseMs < steadyMs; n += 1) {
      const waitMs = begunMs + phaseMs + n * everyMs - performance.now()
      if (waitMs > 0) await pause(waitMs)
      const appended: Promise<void> = append(ref, n).finally(() => pending.delete(appended))
      pending.add(appended)
    }
  }
  await Promise.all(logs.map(live))
  await Promise.all(pending)
  const seconds = (performance.now() - begunMs) / 1000
  const { user, system } = process.cpuUsage(usedBefore)
  const cores = (user + system) / 1e6 / seconds
  const perCore = Math.round(calls / cores)
  say(
    `  ${calls} calls at ${perCallAndSecond} entries a second: ${Math.round(times.length / seconds)} entries a second for ${Math.round(seconds)} s`,
  )
  say(
    `  an append: p50 ${median(times).toFixed(1)} ms, p99 ${percentile(times, 99).toFixed(1)} ms, at ${cores.toFixed(2)} cores of the writing process`,
  )
  say(
    `  live calls a core: ${perCore}, ${(perCore / callsOfPeer).toFixed(1)} times the peer's ${callsOfPeer}`,
  )
  return judge(`p99 in ms of an append with ${calls} live calls`, percentile(times, 99), { atMost: 250 })
}
