import autocannon from 'autocannon'
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { startThrowawayPostgres } from '@switchroom/launcher/postgres'
import { cpuSeconds, freePort, memoryMb, startProcess } from './processes.ts'
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
  const postgres = await startThrowawayPostgres()
  try {
    const url = postgres.url('postgres')
    const [port, barePort] = [await freePort(), await freePort()]
    const operatorKey = `svc_op_${randomBytes(32).toString('base64url')}`
    await using gateway = await startProcess('gateway/src/main.ts', {
      SVC_DATABASE_URL: url,
      SVC_PORT: String(port),
      SVC_VAULT_KEY: randomBytes(32).toString('base64'),
      SVC_OPERATOR_KEY: operatorKey,
    })
    await pause(2000) // idle memory is what is left when the start is over
    const idleMb = memoryMb(gateway.pid)
    const key = await makeKey(`http://127.0.0.1:${port}`, operatorKey)
    await using bare = await startProcess('bench/src/bare-server.ts', {
      BARE_DATABASE_URL: url,
      BARE_PORT: String(barePort),
    })

    const ours: Subject = { name: 'gateway', url: `http://127.0.0.1:${port}/v1/whoami`, pid: gateway.pid }
    const theirs: Subject = {
      name: 'bare route',
      url: `http://127.0.0.1:${barePort}/v1/whoami`,
      pid: bare.pid,
    }
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
    say(`  memory of the gateway: ${idleMb} MB idle, ${memoryMb(gateway.pid)} MB after the load`)
    const isFast = judge('GET /v1/whoami against a bare route with the same statement', median(ratios), {
      atLeast: 0.8,
    })
    return judge('idle memory of the gateway in MB', idleMb, { atMost: 150 }) && isFast
  } finally {
    await postgres.stop()
  }
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

async function makeKey(base: string, operatorKey: string): Promise<string> {
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' }
    const answer = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await answer.json()) as { token: string; key: string }
  }
  await post('/v1/ops/orgs', { slug: 'bench' })
  const { token } = await post('/v1/ops/orgs/bench/members', {
    email: 'bench@example.com',
    role: 'developer',
  })
  return (await post(`/v1/invitations/${token}`, { password: 'correct horse battery' })).key
}
