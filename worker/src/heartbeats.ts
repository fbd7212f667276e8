import type { WorkerBeat } from '@switchroom/contract/media-plane'
import type { Environment } from '@switchroom/contract/scopes'
import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import type { GatewayClient } from './gateway-client.ts'
import type { Settings } from './settings.ts'

export interface HeartbeatParts {
  gateway: GatewayClient
  environments: Settings['environments']
  /** How much the worker has to do. */
  load: () => Omit<WorkerBeat, 'worker' | 'env'>
  logger: Logger
}

/** Sends the worker's load to the gateway every ten seconds, and at once if it changed. */
export class Heartbeats {
  readonly #parts: HeartbeatParts
  #takenAtMs = performance.now()
  readonly task: PeriodicTask = {
    name: 'send heartbeats',
    everyMs: 10_000,
    runsAtStart: true,
    run: () => this.send(),
  }

  constructor(parts: HeartbeatParts) {
    this.#parts = parts
  }

  /** How long ago the gateway took one, or this began. */
  get silentForMs(): number {
    return performance.now() - this.#takenAtMs
  }

  /** Returns the environments in which every worker is full. */
  async send(): Promise<Environment[]> {
    const { gateway, environments, load, logger } = this.#parts
    const full: Environment[] = []
    const tell = async (env: Environment) => {
      const answer = await gateway.tellLoad({ ...load(), env })
      this.#takenAtMs = performance.now()
      if (answer.full) full.push(env)
    }
    await Promise.all(
      environments.map((env) =>
        tell(env).catch((error: unknown) => logger.debug({ err: error, env }, 'a heartbeat was not sent')),
      ),
    )
    return full
  }
}
