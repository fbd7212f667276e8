import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { callIndexes } from '@switchroom/gateway/calls/backfills/call-indexes'
import { migrate, shippedMigrations } from '@switchroom/gateway/database/migrations'
import { startThrowawayPostgres } from '@switchroom/launcher/postgres'
import { layOutRelease } from '@switchroom/launcher/testing/older-release'
import { Client, Pool } from 'pg'
import { secretsOfDeployment, startBenchGateway } from '../deployment.ts'
import { judge, median, percentile, say } from '../report.ts'
import { Stalls } from '../stalls.ts'
import { MigrationLoad, type Waited } from './migration-load.ts'
import { fillVolume } from './volume-fill.ts'
import { shapeOf, volumeMemory } from './volume-shape.ts'

/** The last commit whose newest migration is `0037_trunk_tests.sql`. */
const olderRelease = '9e28baf'
/** A quarter of the usual volume: what is older than the release takes minutes to be derived as it is. */
const fewerCalls = 100_000
const beforeMs = 10_000
const afterMs = 5_000
const lookEveryMs = 1_000
/** What the new gateway has still to do. */
const undone = `
  select (select count(*) from call_backfills where done_at is null) + count(*) as undone
  from unnest($1::text[], $2::boolean[]) as wanted (name, is_made)
  where is_made <> exists (select from pg_index where indexrelid = to_regclass(name) and indisvalid)`

interface MigrationOptions {
  calls?: number | undefined
}

/**
 * The gateway of an older release serves a large database while this one starts beside it, migrates, and derives what it
 * needs from older calls: how long does any request wait, at either?
 */
export async function volumeMigration({ calls = fewerCalls }: MigrationOptions = {}): Promise<boolean> {
  await using parts = new AsyncDisposableStack()
  const parent = mkdtempSync(join(tmpdir(), 'volume-migration-'))
  chmodSync(parent, 0o755)
  parts.defer(() => rmSync(parent, { recursive: true, force: true }))
  const older = mkdtempSync(join(parent, 'older-'))
  await layOutRelease(olderRelease, older)
  const postgres = await startThrowawayPostgres({ parent, settings: volumeMemory })
  parts.defer(() => postgres.stop())
  const url = postgres.url('postgres')
  say(`  filling ${calls} calls at the schema of the older release`)
  await migrateToOlder(url, older)
  await fillVolume(url, shapeOf(calls))

  const secrets = secretsOfDeployment()
  const olderGateway = parts.use(await startBenchGateway(url, secrets, {}, older))
  const stalls = parts.use(new Stalls())
  const load = new MigrationLoad(stalls)
  await load.add('older', olderGateway.url)
  await pause(beforeMs)

  load.phase = 'migrating'
  const begunMs = performance.now()
  const newerGateway = parts.use(await startBenchGateway(url, secrets))
  say(`  the new gateway is ready after ${seconds(begunMs)}`)
  await load.add('newer', newerGateway.url)
  load.phase = 'deriving'
  await untilDerived(url)
  say(`  everything is derived and every index made after ${seconds(begunMs)}`)
  load.phase = 'after'
  await pause(afterMs)
  await load.stop()

  for (const group of groupsOf(load.waited)) say(`  ${lineOf(group)}`)
  say(`  the machine stood still ${stalls.count} times, ${Math.round(stalls.longestMs)} ms at most`)
  const failures = load.waited.flatMap(({ kind, gateway, phase, failure }) =>
    failure === undefined ? [] : [`${phase}, ${gateway} gateway, ${kind}: ${failure}`],
  )
  for (const failure of new Set(failures)) say(`  ${failure}`)
  const longestMs = Math.max(...load.waited.map(({ ms }) => ms))
  const isWhole = judge('requests refused and entries missed', failures.length, { atMost: 0 })
  return judge('longest wait in ms of any request', longestMs, { atMost: 1000 }) && isWhole
}

const seconds = (sinceMs: number) => `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`

async function migrateToOlder(url: string, older: string) {
  const pool = new Pool({ connectionString: url })
  await migrate(pool, await shippedMigrations(join(older, 'gateway/src/database/migrations')))
  await pool.end()
}

async function untilDerived(url: string) {
  const indexes = callIndexes(async () => true)
  const client = new Client({ connectionString: url })
  await client.connect()
  for (;;) {
    const { rows } = await client.query<{ undone: string }>(undone, [
      indexes.map(({ name }) => name),
      indexes.map(({ make }) => make !== null),
    ])
    if (Number(rows[0]?.undone) === 0) break
    await pause(lookEveryMs)
  }
  await client.end()
}

function groupsOf(waited: readonly Waited[]): (readonly Waited[])[] {
  const groups = new Map<string, Waited[]>()
  for (const one of waited) {
    const name = `${one.phase} ${one.gateway} ${one.kind}`
    const group = groups.get(name)
    if (group) group.push(one)
    else groups.set(name, [one])
  }
  return [...groups.values()]
}

function lineOf(group: readonly Waited[]): string {
  const times = group.map(({ ms }) => ms)
  const [p50, p99, most] = [median(times), percentile(times, 99), Math.max(...times)].map((ms) =>
    ms.toFixed(0),
  )
  const { phase, gateway, kind } = group[0] ?? { phase: '', gateway: '', kind: '' }
  return `${phase}, ${gateway} gateway, ${kind}: ${group.length}, p50 ${p50}, p99 ${p99}, longest ${most} ms`
}
