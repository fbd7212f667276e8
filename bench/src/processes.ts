import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Of this repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** As the launcher, the image and the units of systemd name one. */
const NODE_COMPILE_CACHE = join(root, 'node_modules/.cache/switchroom')

export interface Measured extends AsyncDisposable {
  pid: number
}

/** Starts one of our processes and waits until it says it is ready. */
export async function startProcess(
  file: string,
  environment: Record<string, string>,
  folder = root,
): Promise<Measured> {
  const child: ChildProcess = spawn(process.execPath, [file], {
    cwd: folder,
    env: { NODE_COMPILE_CACHE, ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ready = new Promise((resolve) =>
    child.on('message', (message) => message === 'ready' && resolve(true)),
  )
  const isReady = await Promise.race([ready, once(child, 'exit').then(() => false)])
  if (!isReady || child.pid === undefined) throw new Error(`${file} did not start`)
  return {
    pid: child.pid,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** Resident memory in MB; for the whole process, as an operator would see it. */
export function memoryMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}

/** The most resident memory that the process ever had, in MB. */
export function peakMemoryMb(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}

/** Seconds of CPU a process has used so far. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}
