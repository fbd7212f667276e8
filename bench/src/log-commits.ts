import { migrate } from '@switchroom/gateway/database/migrations'
import { startThrowawayPostgres } from '@switchroom/launcher/postgres'
import { Database, inlined, type Transaction } from '@switchroom/gateway/database/database'
import { DirectConnection } from '@switchroom/gateway/database/direct-connection'
import { PostgresSignals } from '@switchroom/gateway/database/postgres-signals'
import type { Signals } from '@switchroom/gateway/database/signals'
import { systemClock } from '@switchroom/gateway/foundation/clock'
import { makeLogger } from '@switchroom/process/logging'
import { callLog, type LogRef } from '@switchroom/gateway/calls/log/entries'
import { LiveLogs } from '@switchroom/gateway/calls/log/live-logs'
import { Log } from '@switchroom/gateway/calls/log/log'
import { judge, median, percentile, say } from './report.ts'

const gateways = 20
const writersEach = 2
const roundMs = 3000
const rounds = 3
/** Every commit waits 2 ms, as for a replica that confirms it. */
const slowCommits = ['fsync=on', 'synchronous_commit=on', 'commit_delay=2000', 'commit_siblings=0']

const charge = async () => {}
const entry = { type: 'agent.message', data: { text: 'Of course, to which day?', messageId: 'm_2' } }
const silent: Signals = { on() {}, send() {}, async start() {}, async stop() {}, whyDegraded: undefined }
const logger = makeLogger('error', process.stderr)

type Write = (ref: LogRef) => Promise<unknown>
interface Writer {
  refs: LogRef[]
  /** Other gateways are notified after the commit, not at all, or as part of the transaction. */
  after: Write
  without: Write
  inside: Write
  stop: () => Promise<void>
}

/** How many commits of logs a second twenty gateways get that notify each other, against the same without notices. */
export async function logCommits(): Promise<boolean> {
  const postgres = await startThrowawayPostgres({ settings: slowCommits })
  const url = postgres.url('postgres')
  const database = new Database(url, () => {})
  await migrate(database.pool)
  const writers = await Promise.all(Array.from({ length: gateways }, (_, n) => startWriter(url, `gw_${n}`)))
  await openLogs(database, writers)

  for (const way of ['without', 'after'] as const) await measure(writers, way) // warm
  const rates = { without: [] as number[], after: [] as number[], inside: [] as number[] }
  for (let round = 1; round <= rounds; round += 1)
    for (const way of ['without', 'after', 'inside'] as const) {
      const { rate, times } = await measure(writers, way)
      rates[way].push(rate)
      const [p50, p99] = [median(times).toFixed(0), percentile(times, 99).toFixed(0)]
      say(`  round ${round}, notices ${way}: ${Math.round(rate)} commits a second, p50 ${p50}, p99 ${p99} ms`)
    }
  await Promise.all(writers.map(({ stop }) => stop()))
  await database.close()
  await postgres.stop()

  const [without, after, inside] = [median(rates.without), median(rates.after), median(rates.inside)]
  say(`  notices inside the transaction: ${(inside / without).toFixed(2)} of the commits without`)
  const isFree = judge('commits with notices, of those without', after / without, { atLeast: 0.75 })
  return judge('commits a second with notices', after, { atLeast: 2000 }) && isFree
}

async function startWriter(url: string, gateway: string): Promise<Writer> {
  const database = new Database(url, () => {})
  const direct = new DirectConnection(url, logger)
  const signals = new PostgresSignals(direct, logger)
  const liveLogs = new LiveLogs(database, signals, gateway, logger)
  const parts = { database, clock: systemClock, logger, liveLogs, gateway, charge }
  const [log, quiet] = [new Log({ ...parts, signals }), new Log({ ...parts, signals: silent })]
  await signals.start()
  await direct.start()
  const write = (to: Log, ref: LogRef, more: (tx: Transaction, seq: number) => void = () => {}) =>
    database.transaction(async (tx) => {
      const kept = await to.appendIn(tx, ref, [entry])
      more(tx, kept.at(-1)?.seq ?? 0)
    })
  const notified = (id: string, seq: number) =>
    inlined(`select pg_notify('log_grew', $1)`, `${gateway}\n${JSON.stringify([id, seq])}`)
  return {
    refs: [],
    after: (ref) => write(log, ref),
    without: (ref) => write(quiet, ref),
    inside: (ref) => write(quiet, ref, (tx, seq) => tx.withCommit(notified(ref.id, seq))),
    stop: async () => {
      await signals.stop()
      await direct.stop()
      await database.close()
    },
  }
}

async function openLogs(database: Database, writers: readonly Writer[]) {
  await database.pool.query(
    `insert into orgs (id, slug, name, quotas, created_at) values ('org_bench', 'bench', 'Bench', '{}', now())`,
  )
  await database.pool.query(`insert into agents (org, slug, created_at) values ('org_bench', 'desk', now())`)
  const log = new Log({
    database,
    clock: systemClock,
    logger,
    liveLogs: new LiveLogs(database, silent, '', logger),
    signals: silent,
    gateway: '',
    charge,
  })
  for (const [place, { refs }] of writers.entries())
    for (let n = 0; n < writersEach; n += 1) {
      const id = `call_${place}_${n}`
      await database.pool.query(
        `insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary)
         values ($1, 'org_bench', 'desk', 'sandbox', '', 'chat', now(), '[]', false)`,
        [id],
      )
      const ref = callLog({ id, org: 'org_bench', env: 'sandbox', agent: 'desk' })
      await log.open(database, ref)
      refs.push(ref)
    }
  await database.pool.query('update logs set most = 2147483647')
}

async function measure(writers: readonly Writer[], way: 'after' | 'without' | 'inside') {
  const times: number[] = []
  const begunMs = performance.now()
  const untilMs = begunMs + roundMs
  const keepWriting = async (write: Write, ref: LogRef) => {
    while (performance.now() < untilMs) {
      const before = performance.now()
      await write(ref)
      times.push(performance.now() - before)
    }
  }
  await Promise.all(writers.flatMap((writer) => writer.refs.map((ref) => keepWriting(writer[way], ref))))
  return { rate: (times.length * 1000) / (performance.now() - begunMs), times }
}
