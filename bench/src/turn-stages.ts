import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { percentile, say } from './report.ts'

/** The steps of a turn in the log, each counted from the end of speech, and what a reader may call them. */
const steps = [
  ['transcript_ms', 'words final'],
  ['turn_end_ms', 'turn decided'],
  ['first_token_ms', 'first token'],
  ['first_clause_ms', 'first clause'],
  ['first_audio_ms', 'first sound'],
  ['heard_ms', 'sent'],
] as const

const seconds = (ms: number) => (ms / 1_000).toFixed(2)

/** Says where the time between the caller's last sound and the agent's first went, as the log of the calls has it. */
export async function sayStages(databaseUrl: string, answeredMs: readonly number[]): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ data: Record<string, number | null> }>(
    `select (entry::jsonb)->'data' as data from entries
     where type = 'metrics' and (entry::jsonb)->'data'->>'stage' = 'turn'`,
  )
  await client.end()
  const taken = (step: string) => rows.flatMap(({ data }) => data[step] ?? [])
  const parts = steps.map(([step, name]) => {
    const all = taken(step)
    return `${name} ${seconds(percentile(all, 50))} (p95 ${seconds(percentile(all, 95))})`
  })
  say(`  by the log, since the end of speech: ${parts.join(', ')}`)
  const onTheWay = percentile(answeredMs, 50) - percentile(taken('heard_ms'), 50)
  say(`  beyond that ${seconds(onTheWay)} s: to notice the end of speech, and on the way there and back`)
}

/** The event loops of the processes that are started with its environment. */
export class LoopDelays implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'loop-delays-'))

  /** For the processes that are watched. */
  get environment(): Record<string, string> {
    const watch = fileURLToPath(new URL('loop-delay.ts', import.meta.url))
    const options = [process.env['NODE_OPTIONS'], `--import=${watch}`].filter(Boolean).join(' ')
    return { NODE_OPTIONS: options, BENCH_LOOP_DELAYS: this.#folder }
  }

  say(): void {
    const files = readdirSync(this.#folder).filter((file) => file.endsWith('.json'))
    const all = files.map((file) => JSON.parse(readFileSync(join(this.#folder, file), 'utf8')) as Delay)
    const byProgram = Map.groupBy(all, ({ program }) => nameOf(program))
    for (const [program, delays] of byProgram) {
      const worst = (figure: 'p50' | 'p99' | 'most') => Math.max(...delays.map((delay) => delay[figure]))
      const late = `p50 ${worst('p50').toFixed(0)} ms, p99 ${worst('p99').toFixed(0)} ms, most ${worst('most').toFixed(0)} ms`
      say(`  event loop of ${program}, the latest of ${delays.length}: ${late}`)
    }
  }

  [Symbol.dispose]() {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

interface Delay {
  program: string
  p50: number
  p99: number
  most: number
}

/** Of `gateway/src/main.ts` the gateway, else the file's name. */
function nameOf(program: string): string {
  const file = basename(program, '.ts')
  return file === 'main' ? basename(join(program, '../..')) : file.replace('.main', '')
}
