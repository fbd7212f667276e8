import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const version = '3.51.0'
const cache = fileURLToPath(new URL('../../node_modules/.cache/switchroom', import.meta.url))
const folder = `${cache}/python-openai-${version}`
const longestMs = 400_000

/** A Python that has OpenAI's official client, made once and kept; or why there is none. */
export type PythonClient = { python: string; missing: false } | { missing: string }

export async function pythonClient(): Promise<PythonClient> {
  const [python, done] = [`${folder}/bin/python`, `${folder}/done`]
  if (existsSync(done)) return { python, missing: false }
  const known = await ran('python3', ['-c', 'import sys, venv; assert sys.version_info >= (3, 10)'])
  if (!known.ok) return { missing: 'needs Python 3.10 or later with venv' }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(cache, { recursive: true })
  const steps: [string, string[]][] = [
    ['python3', ['-m', 'venv', folder]],
    [python, ['-m', 'pip', '--quiet', '--no-input', '--retries', '1', 'install', `openai==${version}`]],
  ]
  for (const [program, args] of steps) {
    const { ok, said } = await ran(program, args)
    if (!ok) return { missing: `needs the Python package openai: ${said.trim().split('\n').at(-1)}` }
  }
  writeFileSync(done, '')
  return { python, missing: false }
}

/** Runs a program to its end, with everything that it says. */
export async function ran(
  program: string,
  args: readonly string[],
  options: { env?: Record<string, string | undefined>; cwd?: string } = {},
): Promise<{ ok: boolean; said: string }> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], timeout: longestMs })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)))
  const status = await new Promise((resolve) => {
    child.once('error', () => resolve(undefined)) // there is no such program
    child.once('close', resolve)
  })
  return { ok: status === 0, said }
}
