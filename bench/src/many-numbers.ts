import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { migrate } from '@switchroom/gateway/database/migrations'
import { insertManyNumbers } from '@switchroom/gateway/testing/telephony/many-numbers'
import { startThrowawayPostgres } from '@switchroom/launcher/postgres'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { Pool } from 'pg'
import { cpuSeconds, peakMemoryMb, startProcess } from './processes.ts'
import { judge, say } from './report.ts'

const [orgs, numbersOfOrg] = [2_000, 50]
const workers = 50
const fleetKey = `svc_fleet_${randomBytes(24).toString('base64url')}`
const vaultKey = randomBytes(32)

/** A gateway that starts with 100,000 numbers, and what its fences cost that workers read. */
export async function manyNumbers(): Promise<boolean> {
  const postgres = await startThrowawayPostgres({ settings: ['fsync=on', 'synchronous_commit=on'] })
  const url = postgres.url('postgres')
  const pool = new Pool({ connectionString: url })
  try {
    await migrate(pool)
    await insertManyNumbers((text, values) => pool.query(text, values), { orgs, numbersOfOrg, vaultKey })
    await pool.query('vacuum analyze')
    const first = await measureStart(url, pool, async (started) => started)
    say(
      `  first start: ready after ${first.readyMs} ms, all admitted ${first.admittedMs} ms later, ${shown(first)}`,
    )
    const before = await writtenRows(pool)
    const again = await measureStart(url, pool, async (started) => {
      const hasWritten = (await writtenRows(pool)) !== before
      return { ...started, hasWritten, fences: await readFences(started, pool) }
    })
    say(`  restart: ready after ${again.readyMs} ms, compared ${again.admittedMs} ms later, ${shown(again)}`)
    return [
      judge('seconds until the gateway is ready', again.readyMs / 1000, { atMost: 2 }),
      judge('seconds of the first admission', first.admittedMs / 1000, { atMost: 20 }),
      judge('MB of memory at most, first start', first.peakMb, { atMost: 400 }),
      judge('seconds of a restart with nothing changed', again.admittedMs / 1000, { atMost: 3 }),
      judge('whether it writes anything', again.hasWritten ? 1 : 0, { atMost: 0 }),
      judge('MB of memory at most, restart', again.peakMb, { atMost: 400 }),
      judge('KB of all fences', again.fences.wholeKb, { atMost: 700 }),
      judge('KB of one change', again.fences.changeKb, { atMost: 4 }),
      judge(`gateway's CPU seconds of one change with ${workers} workers`, again.fences.changeCpuS, {
        atMost: 0.3,
      }),
      judge(`gateway's CPU seconds of 25 seconds without one`, again.fences.quietCpuS, { atMost: 0.5 }),
    ].every((isKept) => isKept)
  } finally {
    await pool.end()
    await postgres.stop()
  }
}

interface Started {
  url: string
  pid: number
  readyMs: number
  /** After it was ready. */
  admittedMs: number
  peakMb: number
  cpuS: number
}

const shown = ({ peakMb, cpuS }: Started) => `${peakMb} MB at most, ${cpuS.toFixed(1)} s of CPU`

async function measureStart<T>(
  databaseUrl: string,
  pool: Pool,
  work: (started: Started) => Promise<T>,
): Promise<T> {
  const port = await freePort()
  const begunMs = performance.now()
  const run = reconciliation(pool)
  const gateway = await startProcess('gateway/src/main.ts', {
    SVC_DATABASE_URL: databaseUrl,
    SVC_PORT: String(port),
    SVC_DASHBOARD_PORT: '0',
    SVC_METRICS_PORT: '0',
    SVC_VAULT_KEY: vaultKey.toString('base64'),
    SVC_OPERATOR_KEY: `svc_op_${randomBytes(32).toString('base64url')}`,
    SVC_FLEET_KEY: fleetKey,
  })
  try {
    const readyMs = Math.round(performance.now() - begunMs)
    const admittedMs = Math.max(0, Math.round((await run) - begunMs) - readyMs)
    return await work({
      url: `http://127.0.0.1:${port}`,
      pid: gateway.pid,
      readyMs,
      admittedMs,
      peakMb: peakMemoryMb(gateway.pid),
      cpuS: cpuSeconds(gateway.pid),
    })
  } finally {
    await gateway[Symbol.asyncDispose]()
  }
}

/** When a gateway that has compared and admitted everything gives its lock back. */
async function reconciliation(pool: Pool): Promise<number> {
  const isRunning = async () => {
    const { rows } = await pool.query(`
      select from pg_locks, hashtextextended('reconciliation of numbers', 0) as key
      where locktype = 'advisory' and granted
        and (classid::bigint << 32 | objid::bigint) = key`)
    return rows.length > 0
  }
  while (!(await isRunning())) await pause(5)
  while (await isRunning()) await pause(5)
  return performance.now()
}

async function writtenRows(pool: Pool): Promise<string> {
  const { rows } = await pool.query(`
    select (select jsonb_build_array(count(*), max(xmin::text::bigint)) from numbers) as numbers,
      (select jsonb_build_array(count(*), max(xmin::text::bigint)) from fences) as fences,
      (select jsonb_build_array(count(*), max(xmin::text::bigint)) from admissions_due) as due`)
  return JSON.stringify(rows)
}

interface FenceFigures {
  wholeKb: number
  changeKb: number
  changeCpuS: number
  quietCpuS: number
}

async function readFences({ url, pid }: Started, pool: Pool): Promise<FenceFigures> {
  const ask = (known?: string) => get(url, known)
  const cpuOf = async <T>(work: () => Promise<T>) => {
    const [begunMs, before] = [performance.now(), cpuSeconds(pid)]
    const done = await work()
    return { done, ms: Math.round(performance.now() - begunMs), cpuS: cpuSeconds(pid) - before }
  }
  const whole = await cpuOf(() => ask())
  const wholeAgain = await cpuOf(() => ask())
  const { version } = whole.done
  const waiting = Promise.all(Array.from({ length: workers }, () => ask(version)))
  await pause(1000) // until all of them wait
  const change = await cpuOf(async () => {
    await pool.query(`update fences set numbers = numbers[2:] where name = 'org_m7/production/apicarrier'`)
    await pool.query(`select pg_notify('fences', '')`)
    return waiting
  })
  const [one] = change.done
  const known = one?.version ?? ''
  const quiet = await cpuOf(() => Promise.all(Array.from({ length: workers }, () => ask(known))))
  const sized = ({ bytes }: Answered) => `${(bytes / 1024).toFixed(1)} KB`
  say(
    `  all fences: ${sized(whole.done)}, ${whole.ms} ms, ${whole.cpuS.toFixed(2)} s of CPU; again ${wholeAgain.ms} ms`,
  )
  say(
    `  one change, ${workers} workers: ${one ? sized(one) : '?'} each, ${change.ms} ms, ${change.cpuS.toFixed(2)} s of CPU`,
  )
  const [unchanged] = quiet.done
  say(
    `  nothing changed, ${workers} workers: ${unchanged ? sized(unchanged) : '?'} each after ${quiet.ms} ms, ${quiet.cpuS.toFixed(2)} s of CPU`,
  )
  return {
    wholeKb: whole.done.bytes / 1024,
    changeKb: (one?.bytes ?? 0) / 1024,
    changeCpuS: change.cpuS,
    quietCpuS: quiet.cpuS,
  }
}

interface Answered {
  version: string
  bytes: number
}

/** As a worker asks, but the answer is only counted. */
async function get(url: string, known: string | undefined): Promise<Answered> {
  const query = new URLSearchParams({
    env: 'production',
    changes: 'true',
    ...(known !== undefined && { after: known }),
  })
  const asked = request(`${url}/v1/worker/fences?${query.toString()}`, {
    headers: { authorization: `Bearer ${fleetKey}`, 'accept-encoding': 'gzip' },
    agent: false,
  })
  asked.end()
  const [answer] = await once(asked, 'response')
  const pieces: Buffer[] = []
  for await (const piece of answer) pieces.push(piece as Buffer)
  const bytes = Buffer.concat(pieces)
  const text = answer.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
  const version = /"version":"([^"]+)"/.exec(text.toString())?.[1]
  if (version === undefined) throw new Error(`the gateway answered ${answer.statusCode}`)
  return { version, bytes: bytes.length }
}
