import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Database } from '@switchroom/gateway/database/database'
import { migrate } from '@switchroom/gateway/database/migrations'
import { Client } from 'pg'
import { startBenchDeployment } from '../deployment.ts'
import { median, percentile, say } from '../report.ts'
import { fillVolume } from './volume-fill.ts'
import { PlanLog, plansLogged } from './volume-plans.ts'
import { requestClasses, type Draw, type RequestClass } from './volume-requests.ts'
import { keyOf, largeOrg, shapeOf, smallOrg, usualCalls, volumeMemory } from './volume-shape.ts'

/** A class is asked so often, but no longer than this once it was asked a few times. */
const mostAsked = 100
const leastAsked = 3
const longestMs = 4000
/** Nothing is worth waiting longer for. */
const givenUpMs = 120_000

interface VolumeOptions {
  calls?: number | undefined
}

/** Every class of request on a database of a platform's size: times, and the plans of those that scan or are late. */
export async function volume({ calls = usualCalls }: VolumeOptions = {}): Promise<boolean> {
  const shape = shapeOf(calls)
  const parent = mkdtempSync(join(tmpdir(), 'volume-'))
  chmodSync(parent, 0o755)
  say(`  filling ${calls} calls of ${shape.orgs} orgs`)
  try {
    await using deployment = await startBenchDeployment(
      {},
      {
        postgres: { parent, settings: [...volumeMemory, ...plansLogged] },
        prepare: async (url) => {
          const database = new Database(url, () => {})
          await migrate(database.pool)
          await database.close()
          await fillVolume(url, shape)
        },
      },
    )
    const plans = new PlanLog(parent)
    const callsOf = await someCalls(deployment.databaseUrl)
    let isKept = true
    for (const asked of requestClasses(shape)) {
      plans.next()
      const times = await measure(deployment.url, asked, drawOf(callsOf.get(asked.org) ?? []))
      const isIn = report(asked, times)
      const slow = plans.next().toSorted((a, b) => b.ms - a.ms)
      const shown = slow.find(({ isScan }) => isScan) ?? (isIn ? undefined : slow[0])
      if (shown) say(`    a statement of ${Math.round(shown.ms)} ms:\n${shown.lines.join('\n')}`)
      isKept &&= isIn
    }
    return isKept
  } finally {
    rmSync(parent, { recursive: true, force: true })
  }
}

function report({ name, org, p50Ms = Infinity, p99Ms }: RequestClass, times: readonly number[]): boolean {
  const [p50, p99] = [median(times), percentile(times, 99)]
  const isKept = p50 <= p50Ms && p99 <= p99Ms
  const limit = `${p50Ms < Infinity ? `p50 ${p50Ms}, ` : ''}p99 ${p99Ms}`
  say(
    `${isKept ? 'kept  ' : 'BROKEN'} ${org} ${name}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (${limit})`,
  )
  return isKept
}

async function measure(url: string, asked: RequestClass, draw: Draw): Promise<number[]> {
  const headers = { authorization: `Bearer ${keyOf(asked.org)}` }
  const ask = async () => {
    const path = asked.path(draw)
    const begunMs = performance.now()
    const signal = AbortSignal.timeout(givenUpMs)
    try {
      const answer = await fetch(url + path, { method: asked.method ?? 'GET', headers, signal })
      const text = await answer.text()
      const isServed = answer.ok || answer.status === asked.orStatus
      if (!isServed && answer.status < 500) throw new Error(`${path} answered ${answer.status} ${text}`)
      return isServed ? performance.now() - begunMs : Infinity
    } catch (error) {
      if (signal.aborted) return Infinity
      throw error
    }
  }
  await ask() // the first has to be planned
  const times: number[] = []
  const begunMs = performance.now()
  while (times.length < leastAsked || (times.length < mostAsked && performance.now() - begunMs < longestMs)) {
    const ms = await ask()
    times.push(ms)
    if (performance.now() - begunMs > longestMs * 4) break
  }
  return times
}

function drawOf(calls: readonly string[]): Draw {
  const below = (bound: number) => Math.floor(Math.random() * bound)
  return { below, call: () => calls[below(calls.length)] ?? '' }
}

/** Calls of each org that may be asked about. */
async function someCalls(url: string): Promise<Map<string, string[]>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ org: string; ids: string[] }>(
    `select orgs.id as org,
       array(select c.id from calls c where c.org = orgs.id and env = 'production' order by ordinal desc limit 1000) as ids
     from orgs where id = any($1)`,
    [[largeOrg, smallOrg]],
  )
  await client.end()
  return new Map(rows.map(({ org, ids }) => [org, ids]))
}
