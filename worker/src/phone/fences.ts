import type { WorkerFences } from '@switchroom/contract/media-plane'
import type { Environment } from '@switchroom/contract/scopes'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { GatewayClient } from '../gateway-client.ts'

const pauseMs = 1_000

type Fence = WorkerFences['fences'][number]

/** The fences of this worker, as the gateway gives them; no source is admitted before. */
export class Fences {
  readonly #byEnvironment = new Map<Environment, Fence[]>()
  #all: Fence[] = []

  get all(): readonly Fence[] {
    return this.#all
  }

  /** Keeps one environment's up to date, until the signal. The last ones stay in force while no gateway answers. */
  async follow(gateway: GatewayClient, env: Environment, logger: Logger, signal: AbortSignal): Promise<void> {
    let known: string | undefined
    while (!signal.aborted) {
      try {
        const { version, fences } = await gateway.fences(env, known, signal)
        known = version
        this.#byEnvironment.set(env, fences)
        this.#all = [...this.#byEnvironment.values()].flat()
      } catch (error) {
        if (signal.aborted) return
        logger.debug({ err: error, env }, 'the fences could not be asked for')
        await sleep(pauseMs, undefined, { signal }).catch(() => {})
      }
    }
  }
}
