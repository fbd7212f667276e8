import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { say } from './report.ts'

const run = promisify(execFile)
/** `:one` and `:two` are drawn anew for every round of the statements. */
const variables = ['one', 'two'] as const
const most = 1_000_000_000

/** A statement, with its values as PostgreSQL writes them; without values it is sent as it is. */
export interface Sent {
  text: string
  values?: readonly string[]
}

export interface Load {
  url: string
  statements: readonly Sent[]
  atOnce: number
  seconds: number
}

/** How often a second the statements are run by pgbench: one thread, as a gateway is, on as many connections. */
export async function sameStatements(load: Load): Promise<number> {
  const isInstalled = await run('pgbench', ['--version']).then(
    () => true,
    () => false,
  )
  if (isInstalled) return pgbenchRate(load)
  say('  pgbench is not installed: the same statements are sent by a bare client of this process')
  return sameDriver(load)
}

async function pgbenchRate({ url, statements, atOnce, seconds }: Load): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'same-statements-'))
  try {
    const script = join(folder, 'statements.sql')
    const drawn = variables.map((name) => `\\set ${name} random(1, ${most})`)
    writeFileSync(script, [...drawn, ...statements.map((sent) => `${filled(sent)};`), ''].join('\n'))
    const clients = ['-c', String(atOnce), '-j', '1', '-T', String(seconds)]
    const { stdout } = await run('pgbench', ['-n', '-M', 'prepared', ...clients, '-f', script, url])
    const rate = /^tps = ([\d.]+)/m.exec(stdout)?.[1]
    if (rate === undefined) throw new Error(`pgbench said ${stdout}`)
    return Number(rate)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The same over the driver that a gateway has, with nothing of ours around it. */
export async function sameDriver({ url, statements, atOnce, seconds }: Load): Promise<number> {
  const clients = Array.from({ length: atOnce }, () => new Client({ connectionString: url }))
  await Promise.all(clients.map((client) => client.connect()))
  const queries = statements.map(prepared)
  const begunMs = performance.now()
  let rounds = 0
  const keepSending = async (client: Client) => {
    for (; performance.now() - begunMs < seconds * 1000; rounds += 1) {
      const drawn = variables.map(() => 1 + Math.floor(Math.random() * most))
      for (const { name, text, used } of queries)
        await client.query({ name, text, values: used.map((at) => drawn[at]) })
    }
  }
  await Promise.all(clients.map(keepSending))
  const rate = (rounds * 1000) / (performance.now() - begunMs)
  await Promise.all(clients.map((client) => client.end()))
  return rate
}

/** With places for the variables that it has. */
function prepared(sent: Sent, at: number) {
  const whole = filled(sent)
  const used = [...variables.keys()].filter((index) => whole.includes(`:${variables[index]}`))
  const text = used.reduce(
    (done, index, place) => done.replaceAll(`:${variables[index]}`, `$${place + 1}::int`),
    whole,
  )
  return { name: `statement ${at}`, text, used }
}

/** The statement with its values in place of the placeholders, in one line. */
const filled = ({ text, values = [] }: Sent) =>
  text
    .replace(/\$(\d+)/g, (_place, at: string) => values[Number(at) - 1] ?? 'null')
    .replace(/\s+/g, ' ')
    .trim()
