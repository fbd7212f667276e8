import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { checkout } from './checkout.ts'
import type { Command } from '../invocation/command.ts'
import { wrongUsage } from '../terminal/failures.ts'

const needed = ['SVC_GATEWAY_URL', 'SVC_FLEET_KEY'] as const

const worker: Command = {
  name: 'worker',
  summary: 'run spoken calls on this machine, for the gateway at SVC_GATEWAY_URL',
  details: 'Set the fleet key in SVC_FLEET_KEY. The worker gets the whole environment of this command.',
  examples: ['SVC_GATEWAY_URL=https://switchroom.example SVC_FLEET_KEY="$(cat fleet.key)" svc worker'],
  async run({ environment }) {
    const missing = needed.filter((name) => !environment[name])
    if (missing.length > 0)
      throw wrongUsage(
        `${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set: a worker needs both`,
      )
    const main = join(checkout, 'worker', 'src', 'main.ts')
    if (!existsSync(main))
      throw wrongUsage(
        'this svc was installed without the worker: run it in a checkout, or the container image',
      )
    const child = spawn(process.execPath, [main], { stdio: 'inherit', env: environment })
    // A terminal's Ctrl-C reaches the worker by itself, which then ends its calls in order.
    process.removeAllListeners('SIGINT').on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
    const [status, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    return status ?? 128 + constants.signals[signal ?? 'SIGTERM']
  },
}

export const workerCommands = [worker]
