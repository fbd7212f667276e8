import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { operatorKey, testEnvironment } from '@switchroom/gateway/testing/deployment'
import { freePort } from '@switchroom/launcher/testing/free-port'

const root = fileURLToPath(new URL('../..', import.meta.url))

type Child = ChildProcessByStdio<null, Readable, Readable>

export interface GatewayProcess {
  child: Child
  url: string
  /** Answers the exit status once it has ended. */
  ended: Promise<number | null>
  stdout: () => string
  stderr: () => string
  /** Speaks to it with the operator's key. */
  send: (method: string, path: string, body?: object, signal?: AbortSignal) => Promise<Response>
}

/** The gateway as it ships, in a process of its own; of another release, if its folder is given. */
export async function spawnGateway(
  databaseUrl: string,
  wanted: Record<string, string> = {},
  release = root,
): Promise<GatewayProcess> {
  const port = wanted['SVC_PORT'] ?? String(await freePort())
  const child = spawn(process.execPath, ['gateway/src/main.ts'], {
    cwd: release,
    env: { PATH: process.env['PATH'], ...testEnvironment(databaseUrl, { ...wanted, SVC_PORT: port }) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  }) as Child
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (output.stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (output.stderr += String(chunk)))
  // Not the child's own 'close', which does not come once its channel was disconnected from here.
  const closed = [once(child, 'exit'), once(child.stdout, 'close'), once(child.stderr, 'close')]
  const ended = Promise.all(closed).then(() => child.exitCode)
  const url = `http://127.0.0.1:${port}`
  return {
    child,
    url,
    ended,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    send: (method, path, body, signal) =>
      fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${operatorKey}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      }),
  }
}

/** Starts it and waits until it says that it is ready. */
export async function startedGateway(
  databaseUrl: string,
  wanted: Record<string, string> = {},
  release = root,
): Promise<GatewayProcess> {
  const gateway = await spawnGateway(databaseUrl, wanted, release)
  const ready = await Promise.race([
    once(gateway.child, 'message').then(() => true),
    gateway.ended.then(() => false),
  ])
  if (!ready) throw new Error(`the gateway did not start: ${gateway.stderr()}`)
  return gateway
}
