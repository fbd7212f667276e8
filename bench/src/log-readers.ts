import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startBenchDeployment, type BenchDeployment, type OperatorAnswer } from './deployment.ts'
import { cpuSeconds, memoryMb } from './processes.ts'
import { judge, median, percentile, say } from './report.ts'
import type { ReadersReport } from './sse-readers.ts'

const readers = 1000
const entries = 200
const everyMs = 50

/** Everybody reads one live log: does every entry reach every reader, and how long after it was kept? */
export async function logReaders(): Promise<boolean> {
  await using deployment = await startBenchDeployment()
  const { url, pid } = deployment
  const { key, call } = await openCall(deployment)
  const child = fork(fileURLToPath(new URL('sse-readers.ts', import.meta.url)), {
    env: {
      ...process.env,
      READERS_URL: `${url}/v1/calls/${call}/events`,
      READERS_KEY: key,
      READERS_COUNT: String(readers),
      READERS_ENTRIES: String(entries),
    },
  })
  await once(child, 'message') // every reader has caught up
  const usedBefore = cpuSeconds(pid)
  const begunMs = performance.now()
  const report = once(child, 'message')
  const keptMs: number[] = []
  for (let n = 1; n <= entries; n += 1) {
    await pauseUntil(begunMs + n * everyMs)
    await append(url, key, call, n)
    keptMs.push(Date.now())
  }
  const [{ delivered, arrivalsMs }] = (await report) as [ReadersReport]
  const cores = (cpuSeconds(pid) - usedBefore) / ((performance.now() - begunMs) / 1000)
  child.kill('SIGTERM')

  const delays = arrivalsMs.flatMap((ofEntry, index) =>
    ofEntry.map((arrivedMs) => Math.max(0, arrivedMs - (keptMs[index] ?? 0))),
  )
  say(
    `  ${readers} readers, ${entries} entries, one every ${everyMs} ms: ${cores.toFixed(2)} cores and ${memoryMb(pid)} MB of the gateway`,
  )
  say(`  after the commit was answered: p50 ${median(delays)} ms, p99 ${percentile(delays, 99)} ms`)
  const isWhole = judge('entries delivered, of all to all', delivered / (readers * entries), { atLeast: 1 })
  return judge('p99 in ms from commit to reader', percentile(delays, 99), { atMost: 100 }) && isWhole
}

const pauseUntil = (atMs: number) =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, atMs - performance.now())))

async function openCall({ ask, url }: BenchDeployment) {
  await ask('POST', '/v1/ops/orgs', { slug: 'bench' })
  const { quotas } = await ask('GET', '/v1/ops/orgs/bench/quotas')
  await ask('PUT', '/v1/ops/orgs/bench/quotas', { ...quotas, event_streams: readers }) // all with one key
  const { key } = await ask('POST', '/v1/ops/orgs/bench/keys', {
    label: 'bench',
    env: 'sandbox',
    scopes: ['app', 'talk', 'calls'],
  })
  const { call } = await post(`${url}/v1/calls`, key, { agent: 'desk' })
  return { key: String(key), call: String(call) }
}

const append = (url: string, key: string, call: string, n: number) =>
  post(`${url}/v1/calls/${call}/events`, key, {
    entries: [{ type: 'agent.message', data: { text: `entry ${n}`, messageId: `m_${n}` } }],
  })

async function post(address: string, key: string, body: object): Promise<OperatorAnswer> {
  const answer = await fetch(address, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${address} answered ${answer.status} ${await answer.text()}`)
  return answer.json()
}
