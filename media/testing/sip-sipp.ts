import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pathOf } from '@switchroom/tools/debian-packages'
import { freeUdpPort } from './free-udp-port.ts'
import { until } from './sip-peer.ts'

export interface Sipp {
  readonly port: number
  /** Resolves with 0 when every call went as its scenario says, and with what sipp said otherwise. */
  readonly done: Promise<{ status: number | null; said: string }>
}

/** Runs a scenario of `testing/sipp` against, or for, a server on this machine. */
export async function runSipp(scenario: string, options: readonly string[]): Promise<Sipp> {
  const file = fileURLToPath(new URL(`sipp/${scenario}.xml`, import.meta.url))
  return start(mkdtempSync(join(tmpdir(), 'sipp-')), file, options)
}

/** Runs a scenario that a test has written, with the files that it plays; one that is called listens already. */
export async function runScenario(
  scenario: string,
  options: readonly string[] = [],
  files: Record<string, Uint8Array> = {},
): Promise<Sipp> {
  const folder = mkdtempSync(join(tmpdir(), 'sipp-'))
  const all = { ...files, 'scenario.xml': scenario }
  for (const [name, content] of Object.entries(all)) writeFileSync(join(folder, name), content)
  const sipp = await start(folder, join(folder, 'scenario.xml'), options)
  let isOver = false
  void sipp.done.then(() => (isOver = true))
  await until(() => isOver || isBound(sipp.port))
  return sipp
}

/** Whether a program listens there, for UDP or TCP. */
function isBound(port: number): boolean {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')} `
  return ['udp', 'tcp'].some((table) => readFileSync(`/proc/net/${table}`, 'utf8').includes(suffix))
}

async function start(folder: string, file: string, options: readonly string[]): Promise<Sipp> {
  const port = await freeUdpPort()
  const usual = [
    '-sf',
    file,
    '-i',
    '127.0.0.1',
    '-p',
    String(port),
    '-nostdin',
    '-timeout',
    '15s',
    '-timeout_error',
    '-trace_err',
  ]
  const child = spawn(pathOf('sipp'), [...usual, ...options], {
    cwd: folder,
    stdio: 'ignore',
    env: { ...process.env, TERM: 'dumb' },
  })
  const done = once(child, 'exit').then(([status]: (number | null)[]) => {
    const errors = readdirSync(folder)
      .filter((name) => name.endsWith('.log'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
    rmSync(folder, { recursive: true })
    return { status: status ?? null, said: status === 0 ? '' : errors.join('\n').slice(0, 4_000) }
  })
  return { port, done }
}
