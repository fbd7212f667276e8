import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { migrate } from '@switchroom/gateway/database/migrations'
import { startThrowawayPostgres } from '@switchroom/launcher/postgres'
import { Database } from '@switchroom/gateway/database/database'
import { systemClock } from '@switchroom/gateway/foundation/clock'
import { LiveLogs } from '@switchroom/gateway/calls/log/live-logs'
import { Log } from '@switchroom/gateway/calls/log/log'
import { addPastCalls } from './past-calls.ts'
import { logger, refOf, silent, ways, type Way, type WriteRound, type WrittenRound } from './log-rounds.ts'
import { judge, median, percentile, say } from './report.ts'

const gateways = Array.from({ length: 20 }, (_, n) => `gw_${n}`)
const writersEach = 2
const gatewaysOfProcess = 5
const roundMs = 3000
const rounds = 3
/** Every commit waits 2 ms, as for a replica that confirms it. */
const slowCommits = ['fsync=on', 'synchronous_commit=on', 'commit_delay=2000', 'commit_siblings=0']

/** How many commits of logs a second twenty gateways get that notify each other, against the same without notices. */
export async function logCommits(): Promise<boolean> {
  await using parts = new AsyncDisposableStack()
  const postgres = await startThrowawayPostgres({ settings: slowCommits })
  parts.defer(() => postgres.stop())
  const url = postgres.url('postgres')
  await openLogs(url)
  await addPastCalls(url)
  const writers = await startWriters(url)
  parts.defer(() => stopAll(writers))

  for (const way of ['without', 'after'] as const) await measure(writers, way) // warm
  const rates: Record<Way, number[]> = { without: [], after: [], inside: [] }
  for (let round = 1; round <= rounds; round += 1)
    for (const way of ways) {
      const { rate, times } = await measure(writers, way)
      rates[way].push(rate)
      const [p50, p99] = [median(times).toFixed(0), percentile(times, 99).toFixed(0)]
      say(`  round ${round}, notices ${way}: ${Math.round(rate)} commits a second, p50 ${p50}, p99 ${p99} ms`)
    }

  const [without, after, inside] = [median(rates.without), median(rates.after), median(rates.inside)]
  say(`  notices inside the transaction: ${(inside / without).toFixed(2)} of the commits without`)
  const isFree = judge('commits with notices, of those without', after / without, { atLeast: 0.75 })
  return judge('commits a second with notices', after, { atLeast: 2000 }) && isFree
}

async function openLogs(url: string) {
  const database = new Database(url, () => {})
  await migrate(database.pool)
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
    charge: async () => {},
  })
  for (const gateway of gateways)
    for (let writer = 0; writer < writersEach; writer += 1) {
      const ref = refOf(gateway, writer)
      await database.pool.query(
        `insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary)
         values ($1, 'org_bench', 'desk', 'sandbox', '', 'chat', now(), '[]', false)`,
        [ref.id],
      )
      await log.open(database, ref)
    }
  await database.pool.query('update logs set most = 2147483647')
  await database.close()
}

async function startWriters(url: string): Promise<ChildProcess[]> {
  const writers: ChildProcess[] = []
  for (let from = 0; from < gateways.length; from += gatewaysOfProcess) {
    const child = fork(fileURLToPath(new URL('log-writers.ts', import.meta.url)), {
      env: {
        ...process.env,
        WRITERS_URL: url,
        WRITERS_GATEWAYS: gateways.slice(from, from + gatewaysOfProcess).join(),
        WRITERS_EACH: String(writersEach),
      },
    })
    await once(child, 'message')
    writers.push(child)
  }
  return writers
}

async function stopAll(writers: readonly ChildProcess[]) {
  for (const writer of writers) {
    writer.kill('SIGTERM')
    await once(writer, 'exit')
  }
}

async function measure(writers: readonly ChildProcess[], way: Way) {
  const begunMs = performance.now()
  const written = await Promise.all(
    writers.map(async (writer) => {
      const answer = once(writer, 'message')
      const round: WriteRound = { way, roundMs }
      writer.send(round)
      const [{ timesMs }] = (await answer) as [WrittenRound]
      return timesMs
    }),
  )
  const times = written.flat()
  return { rate: (times.length * 1000) / (performance.now() - begunMs), times }
}
