import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { root } from './test-files.ts'

const oldest = [3, 10]
const cache = join(root, 'node_modules', '.cache', 'switchroom')
const madeWithinMs = 300_000
const names = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10']

/** A Python with what the tests of the Python SDK need, or why there is none. */
export type PythonEnvironment = { python: string; missing: false } | { missing: string }

interface Ran {
  ok: boolean
  stdout: string
  stderr: string
}

export function run(command: string, args: readonly string[], cwd?: string): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { timeout: madeWithinMs, maxBuffer: 16 * 1024 * 1024, ...(cwd !== undefined && { cwd }) }
    execFile(command, args, options, (error, stdout, stderr) => resolve({ ok: !error, stdout, stderr }))
  })
}

/** Made once for each list of packages, and kept beside the other caches of the checkout. */
export async function pythonEnvironment(requirements: string): Promise<PythonEnvironment> {
  const system = await systemPython()
  if (system === undefined) return { missing: `needs Python ${oldest.join('.')} or later` }
  const listed = readFileSync(requirements)
  const digest = createHash('sha256').update(`${system.version}\n`).update(listed).digest('hex').slice(0, 12)
  const folder = join(cache, `python-${digest}`)
  const python = join(folder, 'bin', 'python')
  const done = join(folder, 'done')
  mkdirSync(cache, { recursive: true })
  return whileLocked(`${folder}.lock`, async () => {
    if (existsSync(done)) return { python, missing: false }
    rmSync(folder, { recursive: true, force: true })
    const made = await run(system.path, ['-m', 'venv', folder])
    if (!made.ok) return { missing: `needs Python's venv: ${lastLine(made)}` }
    const installed = await run(python, [...pip, 'install', '-r', requirements])
    if (!installed.ok) return { missing: `needs packages from PyPI: ${lastLine(installed)}` }
    writeFileSync(done, '')
    return { python, missing: false }
  })
}

/** Without what it asks the network for itself. */
export const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check', '--no-input', '--retries', '1']

async function systemPython(): Promise<{ path: string; version: string } | undefined> {
  for (const path of names) {
    const { ok, stdout } = await run(path, ['-c', 'import sys; print(*sys.version_info[:3], sep=".")'])
    const version = stdout.trim()
    const [major = 0, minor = 0] = version.split('.').map(Number)
    if (ok && major === oldest[0] && minor >= (oldest[1] ?? 0)) return { path, version }
  }
  return undefined
}

const lastLine = ({ stderr, stdout }: Ran) => (stderr || stdout).trim().split('\n').at(-1) ?? ''

/** Test files run at the same time; one makes the environment, the others wait. */
async function whileLocked<Value>(lock: string, work: () => Promise<Value>): Promise<Value> {
  const deadlineMs = Date.now() + madeWithinMs
  while (!taken(lock)) {
    if (Date.now() > deadlineMs) throw new Error(`${lock} is held by another run: remove it if there is none`)
    await pause(100)
  }
  try {
    return await work()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

function taken(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    if (!isHeld(lock)) rmSync(lock, { force: true })
    return false
  }
}

function isHeld(lock: string): boolean {
  try {
    const owner = Number(readFileSync(lock, 'utf8'))
    if (owner > 0) process.kill(owner, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
