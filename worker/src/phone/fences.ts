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
  /** Further addresses of a fence: of the registrar that its user is registered at. */
  readonly #registrars = new Map<string, readonly string[]>()

  get all(): readonly Fence[] {
    return this.#all
  }

  /** Lets calls through a fence from these addresses too, in place of those that were said before. */
  admit(fence: string, addresses: readonly string[]): void {
    if (addresses.length === 0) this.#registrars.delete(fence)
    else this.#registrars.set(fence, addresses)
    this.#compose()
  }

  #compose(): void {
    this.#all = [...this.#byEnvironment.values()].flat().map((fence) => {
      const more = this.#registrars.get(fence.name)
      return more ? { ...fence, networks: [...new Set([...fence.networks, ...more])] } : fence
    })
  }

  /** Keeps one environment's up to date, until the signal. The last ones stay in force while no gateway answers. */
  async follow(gateway: GatewayClient, env: Environment, logger: Logger, signal: AbortSignal): Promise<void> {
    let known: string | undefined
    while (!signal.aborted) {
      try {
        const { version, fences } = await gateway.fences(env, known, signal)
        known = version
        this.#byEnvironment.set(env, fences)
        this.#compose()
      } catch (error) {
        if (signal.aborted) return
        logger.debug({ err: error, env }, 'the fences could not be asked for')
        await sleep(pauseMs, undefined, { signal }).catch(() => {})
      }
    }
  }
}
