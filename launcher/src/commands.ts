import { spawn } from 'node:child_process'

interface RunOptions {
  cwd: string
  uid?: number
  gid?: number
  input?: string
  signal?: AbortSignal
}

/** Runs a program to its end; one that cannot be started counts as failed. */
export function run(
  program: string,
  args: string[],
  { input = '', ...options }: RunOptions,
): Promise<{ status: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, env: plainEnvironment(), stdio: 'pipe' })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    let interruption: Error | undefined
    child.on('error', (error) => {
      if (error.name === 'AbortError') interruption = error
      else resolve({ status: 1, output: error.message })
    })
    child.on('close', (status) => {
      if (interruption) reject(interruption) // only now that the program writes no more
      else resolve({ status: status ?? 1, output })
    })
    child.stdin.on('error', () => {}) // it may end without reading
    child.stdin.end(input)
  })
}

/** The environment of PostgreSQL, without our settings: some of them are secrets. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C' }
}
