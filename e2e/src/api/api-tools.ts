import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** What judges the description and what makes clients of it, at the versions that were tried. */
const npmPackages = [
  '@redocly/cli@2.77.0',
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  '@hey-api/openapi-ts@0.99.0',
  'typescript@5.9.3', // what the generators write with
]
const pythonPackages = ['openapi-python-client==0.29.1']

const run = promisify(execFile)
/** A registry that does not answer is given up, and the tests are skipped. */
const installTimeoutMs = 300_000

/** A program of the tools, or why there is none. */
export interface ApiTools {
  folder: string
  /** Why tests that need it are skipped; false if they run. */
  missing: string | false
}

/** Installed once, beside the packages of the checkout: they are too large to be among them for two tests. */
export async function npmTools(): Promise<ApiTools> {
  const folder = join(root, 'node_modules/.cache/api-tools')
  const install = async () => {
    writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}')
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock', '--legacy-peer-deps']
    await run('npm', ['install', ...options, ...npmPackages], { cwd: folder, timeout: installTimeoutMs })
  }
  return installed(folder, npmPackages, install, 'the npm registry')
}

export async function pythonTools(): Promise<ApiTools> {
  const folder = join(root, 'node_modules/.cache/api-tools-python')
  const { status } = spawnSync('python3', ['-c', 'import sys, venv; sys.exit(sys.version_info < (3, 10))'])
  if (status !== 0) return { folder, missing: 'needs Python 3.10 or later with venv' }
  const install = async () => {
    await run('python3', ['-m', 'venv', folder])
    const options = ['--quiet', '--disable-pip-version-check']
    await run(join(folder, 'bin/pip'), ['install', ...options, ...pythonPackages], {
      timeout: installTimeoutMs,
    })
  }
  return installed(folder, pythonPackages, install, 'the Python package index')
}

async function installed(
  folder: string,
  packages: readonly string[],
  install: () => Promise<void>,
  source: string,
): Promise<ApiTools> {
  const stamp = join(folder, '.installed')
  const wanted = packages.join('\n')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return { folder, missing: false }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  try {
    await install()
  } catch (error) {
    return { folder, missing: `needs ${packages.join(' and ')} from ${source}: ${lastLine(error)}` }
  }
  writeFileSync(stamp, wanted)
  return { folder, missing: false }
}

const lastLine = (error: unknown) =>
  String((error as { stderr?: string }).stderr ?? error)
    .trim()
    .split('\n')
    .at(-1)

/** Runs a program of Node, and answers what it printed; a failure has all of it. */
export async function runNode(args: readonly string[], cwd: string, env: Record<string, string> = {}) {
  return runProgram(process.execPath, args, cwd, {
    ...env,
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
  })
}

interface Printed {
  stdout: string
  stderr: string
}

export async function runProgram(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<Printed> {
  try {
    return await run(program, args, {
      cwd,
      env: { ...process.env, ...env },
      maxBuffer: 64 * 1024 * 1024,
    })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error })
  }
}
