import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { startThrowawayPostgres } from '@switchroom/launcher/postgres'
import { secretsOfDeployment, startBenchGateway, type BenchGateway } from '../deployment.ts'
import { addPastCalls } from '../past-calls.ts'
import { cpuSeconds, memoryMb } from '../processes.ts'
import { judge, median, percentile, say } from '../report.ts'
import { cpuOfChildren } from './child-cpu.ts'
import type { CallersReport, CallersTask } from './live-callers.ts'

/** What two gateways of two cores with a database of its own machine are to carry. */
const mostCalls = 5000
/** Of a core that also runs its share of the gateways, the database, the callers and the readers. */
const callsOfCore = 500
const callsOfOneGateway = 1200
const orgs = 20
const processes = 2
const warmMs = 5_000
const steadyMs = 20_000
const safe = ['fsync=on', 'full_page_writes=on', 'synchronous_commit=on']
const memory = ['shared_buffers=512MB', 'max_wal_size=8GB']

interface LiveCallsOptions {
  calls?: number | undefined
}

/** Calls that speak, with a reader of each one's log, half of them at the other gateway: how long does an append take? */
export async function liveCalls({ calls }: LiveCallsOptions = {}): Promise<boolean> {
  const fitting = callsOfCore * availableParallelism()
  const isOneKept = await callsOn(1, Math.min(calls ?? fitting, callsOfOneGateway))
  const areTwoKept = await callsOn(2, calls ?? Math.min(mostCalls, fitting))
  return isOneKept && areTwoKept
}

async function callsOn(gatewayCount: number, calls: number): Promise<boolean> {
  await using parts = new AsyncDisposableStack()
  const postgres = await startThrowawayPostgres({ settings: [...safe, ...memory] })
  parts.defer(() => postgres.stop())
  const secrets = secretsOfDeployment()
  const gateways: BenchGateway[] = []
  for (let n = 0; n < gatewayCount; n += 1)
    gateways.push(parts.use(await startBenchGateway(postgres.url('postgres'), secrets)))
  const keys = await openOrgs(gateways, calls)
  await addPastCalls(postgres.url('postgres'))
  const callers = await startCallers(gateways, keys, calls)
  parts.defer(() => stopAll(callers))

  const used = () => ({
    gateways: gateways.map(({ pid }) => cpuSeconds(pid)),
    postgres: cpuOfChildren(process.pid, 'postgres'),
    callers: callers.map(({ pid = 0 }) => cpuSeconds(pid)),
  })
  await Promise.all(callers.map((caller) => run(caller, warmMs))) // what runs for the first time is compiled first
  const before = used()
  const begunMs = performance.now()
  const reports = await Promise.all(callers.map((caller) => run(caller, steadyMs)))
  const after = used()
  const tookMs = performance.now() - begunMs
  const cores = (from: number, to: number) => ((to - from) / (tookMs / 1000)).toFixed(2)

  const appendsMs = reports.flatMap((report) => report.appendsMs)
  const arrivalsMs = reports.flatMap((report) => report.arrivalsMs)
  const entries = reports.reduce((sum, report) => sum + report.entries, 0)
  const appends = reports.reduce((sum, report) => sum + report.appends, 0)
  const perSecond = (count: number) => Math.round((count * 1000) / tookMs)
  say(
    `  ${calls} calls on ${gatewayCount} gateways: ${perSecond(entries)} entries in ${perSecond(appends)} appends a second for ${Math.round(tookMs / 1000)} s`,
  )
  const sum = (seconds: readonly number[]) => seconds.reduce((all, one) => all + one, 0)
  const perAppend = (from: number, to: number) => ((1000 * (to - from)) / appends).toFixed(2)
  say(
    `  processor time of an append with its reader: gateways ${perAppend(sum(before.gateways), sum(after.gateways))} ms, database ${perAppend(before.postgres, after.postgres)} ms`,
  )
  const coresOf = (from: readonly number[], to: readonly number[]) =>
    to.map((seconds, at) => cores(from[at] ?? 0, seconds)).join(' and ')
  say(
    `  cores: gateways ${coresOf(before.gateways, after.gateways)}, database ${cores(before.postgres, after.postgres)}, callers and readers ${coresOf(before.callers, after.callers)}; gateways hold ${gateways.map(({ pid }) => memoryMb(pid)).join(' and ')} MB`,
  )
  say(`  an append: ${spread(appendsMs)}; then to its reader: ${spread(arrivalsMs)}`)
  for (const { stalls } of reports)
    say(`  callers stood still ${stalls.count} times, ${Math.round(stalls.longestMs)} ms at most`)
  for (const what of new Set(reports.flatMap(({ refused, faults }) => [...refused, ...faults])))
    say(`  ${what}`)
  const faults = reports.reduce(
    (all, { refused, faults: of, missed }) => all + refused.length + of.length + missed,
    0,
  )
  const isWhole = judge('appends refused, gaps of readers and entries missed', faults, { atMost: 0 })
  const name = `p99 in ms of an append with ${calls} live calls on ${gatewayCount} gateways`
  return judge(name, percentile(appendsMs, 99), { atMost: 100 }) && isWhole
}

const spread = (times: readonly number[]) =>
  `p50 ${median(times).toFixed(1)}, p99 ${percentile(times, 99).toFixed(1)} ms`

/** Each org with a key that may read all of its calls at once. */
async function openOrgs([gateway]: readonly BenchGateway[], calls: number): Promise<string[]> {
  if (!gateway) throw new Error('there is no gateway')
  const keys: string[] = []
  for (let n = 0; n < orgs; n += 1) {
    const slug = `bench-${n}`
    await gateway.ask('POST', '/v1/ops/orgs', { slug })
    const { quotas } = await gateway.ask('GET', `/v1/ops/orgs/${slug}/quotas`)
    await gateway.ask('PUT', `/v1/ops/orgs/${slug}/quotas`, { ...quotas, event_streams: calls })
    const token = { label: 'bench', env: 'sandbox', scopes: ['app', 'talk', 'calls'] }
    keys.push(String((await gateway.ask('POST', `/v1/ops/orgs/${slug}/keys`, token)).key))
  }
  return keys
}

async function startCallers(
  gateways: readonly BenchGateway[],
  keys: readonly string[],
  calls: number,
): Promise<ChildProcess[]> {
  const urls = gateways.map(({ url }) => url)
  const routes = keys.flatMap((key) =>
    urls.flatMap((appendsAt) => urls.map((readsAt) => ({ appendsAt, readsAt, key }))),
  )
  const callers = Array.from({ length: processes }, () => {
    const task: CallersTask = { routes, calls: Math.ceil(calls / processes) }
    return fork(fileURLToPath(new URL('live-callers.ts', import.meta.url)), {
      env: { ...process.env, CALLERS_TASK: JSON.stringify(task) },
    })
  })
  for (const caller of callers) await ready(caller)
  return callers
}

/** Every call is open and read. */
async function ready(caller: ChildProcess) {
  const [message] = await Promise.race([once(caller, 'message'), once(caller, 'exit').then(() => ['ended'])])
  if (message !== 'ready') throw new Error('the callers did not start')
}

async function run(caller: ChildProcess, forMs: number): Promise<CallersReport> {
  const reported = once(caller, 'message')
  caller.send(forMs)
  const [report] = (await reported) as [CallersReport]
  return report
}

async function stopAll(callers: readonly ChildProcess[]) {
  for (const caller of callers) {
    caller.kill('SIGTERM')
    await once(caller, 'exit')
  }
}
