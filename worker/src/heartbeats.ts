import type { WorkerBeat } from '@switchroom/contract/media-plane'
import type { Environment } from '@switchroom/contract/scopes'
import type { Logger } from 'pino'
import type { GatewayClient } from './gateway-client.ts'
import type { Settings } from './settings.ts'

const everyMs = 10_000

/** Tells the gateway how much this worker has to do, every ten seconds and whenever that says something new. */
export class Beats {
  readonly #gateway: GatewayClient
  readonly #environments: Settings['environments']
  readonly #load: () => Omit<WorkerBeat, 'worker' | 'env'>
  readonly #logger: Logger
  readonly #timer: NodeJS.Timeout

  constructor(
    gateway: GatewayClient,
    environments: Settings['environments'],
    load: () => Omit<WorkerBeat, 'worker' | 'env'>,
    logger: Logger,
  ) {
    this.#gateway = gateway
    this.#environments = environments
    this.#load = load
    this.#logger = logger
    this.#timer = setInterval(() => void this.tell(), everyMs)
    void this.tell()
  }

  /** Answers in which environments every worker is full. */
  async tell(): Promise<Environment[]> {
    const full: Environment[] = []
    await Promise.all(
      this.#environments.map((env) =>
        this.#gateway
          .tellLoad({ ...this.#load(), env })
          .then((told) => void (told.full && full.push(env)))
          .catch((error: unknown) => this.#logger.debug({ err: error, env }, 'the load was not told')),
      ),
    )
    return full
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
