import autocannon from 'autocannon'
import { setTimeout as pause } from 'node:timers/promises'
import { startBenchDeployment } from './deployment.ts'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { cpuSeconds, memoryMb, startProcess } from './processes.ts'
import { judge, median, say } from './report.ts'

const connections = 32
const roundSeconds = 4
const rounds = 5

interface Subject {
  name: string
  url: string
  pid: number
}

/** An authenticated request against a bare route that runs the same statement, in turns in one run. */
export async function whoami(): Promise<boolean> {
  await startBenchDeployment().then((first) => first[Symbol.asyncDispose]()) // what it compiled is kept for the next
  await using deployment = await startBenchDeployment()
  await pause(2000) // idle memory is what is left when the start is over
  const idleMb = memoryMb(deployment.pid)
  const key = await deployment.makeKey()
  const barePort = await freePort()
  const environment = { BARE_DATABASE_URL: deployment.databaseUrl, BARE_PORT: String(barePort) }
  await using bare = await startProcess('bench/src/bare-server.ts', environment)

  const ours: Subject = { name: 'gateway', url: `${deployment.url}/v1/whoami`, pid: deployment.pid }
  const theirs: Subject = { name: 'bare route', url: `http://127.0.0.1:${barePort}/v1/whoami`, pid: bare.pid }
  for (const subject of [ours, theirs]) await measure(subject, key) // warm
  const ratios: number[] = []
  const cpuRatios: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const [us, them] = [await measure(ours, key), await measure(theirs, key)]
    ratios.push(us.perSecond / them.perSecond)
    cpuRatios.push(us.cpuMicros / them.cpuMicros)
    say(`  round ${round + 1}: ${line('gateway', us)}, ${line('bare', them)}`)
  }
  say(`  CPU of an authenticated request: ${median(cpuRatios).toFixed(2)} times the bare route's`)
  say(`  memory of the gateway: ${idleMb} MB idle, ${memoryMb(deployment.pid)} MB after the load`)
  const isFast = judge('GET /v1/whoami against a bare route with the same statement', median(ratios), {
    atLeast: 0.8,
  })
  return judge('idle memory of the gateway in MB', idleMb, { atMost: 140 }) && isFast
}

interface Round {
  perSecond: number
  p99Ms: number
  cpuMicros: number
}

const line = (name: string, round: Round) =>
  `${name} ${Math.round(round.perSecond)} a second (p99 ${round.p99Ms} ms, ${Math.round(round.cpuMicros)} µs CPU)`

async function measure({ name, url, pid }: Subject, key: string): Promise<Round> {
  const before = cpuSeconds(pid)
  const result = await autocannon({
    url,
    connections,
    duration: roundSeconds,
    headers: { authorization: `Bearer ${key}` },
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${name} refused ${result.non2xx + result.errors} requests`)
  const answered = result['2xx']
  return {
    perSecond: answered / result.duration,
    p99Ms: result.latency.p99,
    cpuMicros: ((cpuSeconds(pid) - before) * 1e6) / answered,
  }
}
