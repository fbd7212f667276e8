import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pathOf } from '@switchroom/tools/debian-packages'
import { freeUdpPort } from './free-udp-port.ts'

export interface Sipp {
  readonly port: number
  /** Resolves with 0 when every call went as its scenario says, and with what sipp said otherwise. */
  readonly done: Promise<{ status: number | null; said: string }>
}

/** Runs a scenario of `testing/sipp` against, or for, a server on this machine. */
export async function runSipp(scenario: string, options: readonly string[]): Promise<Sipp> {
  const port = await freeUdpPort()
  const folder = mkdtempSync(join(tmpdir(), 'sipp-'))
  const file = fileURLToPath(new URL(`sipp/${scenario}.xml`, import.meta.url))
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
    const errors = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    rmSync(folder, { recursive: true })
    return { status: status ?? null, said: status === 0 ? '' : errors.join('\n').slice(0, 4_000) }
  })
  return { port, done }
}
