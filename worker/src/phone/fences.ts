import type { WorkerFence, WorkerFences } from '@switchroom/contract/media-plane'
import type { Environment } from '@switchroom/contract/scopes'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import type { GatewayClient } from '../gateway-client.ts'

const pauseMs = 1_000
/** Two gateways that do not know each other's versions both send all fences at once, again and again. */
const pauseWithoutNewsMs = 10_000

type ByName = ReadonlyMap<string, WorkerFence>

/** The fences of this worker, as the gateway gives them; no source is admitted before. */
export class Fences {
  readonly #byEnvironment = new Map<Environment, ByName>()
  #all: WorkerFence[] = []
  /** Further addresses of a fence: of the registrar that its user is registered at. */
  readonly #registrars = new Map<string, readonly string[]>()
  readonly #pauseWithoutNewsMs: number

  constructor(timing = { pauseWithoutNewsMs }) {
    this.#pauseWithoutNewsMs = timing.pauseWithoutNewsMs
  }

  get all(): readonly WorkerFence[] {
    return this.#all
  }

  /** Lets calls through a fence from these addresses too, in place of those that were said before. */
  admit(fence: string, addresses: readonly string[]): void {
    if (addresses.length === 0) this.#registrars.delete(fence)
    else this.#registrars.set(fence, addresses)
    this.#compose()
  }

  #compose(): void {
    this.#all = [...this.#byEnvironment.values()]
      .flatMap((fences) => [...fences.values()])
      .map((fence) => {
        const more = this.#registrars.get(fence.name)
        return more ? { ...fence, networks: [...new Set([...fence.networks, ...more])] } : fence
      })
  }

  /** Keeps one environment's up to date, until the signal. The last ones stay in force while no gateway answers. */
  async follow(gateway: GatewayClient, env: Environment, logger: Logger, signal: AbortSignal): Promise<void> {
    let known: string | undefined
    while (!signal.aborted) {
      try {
        const answer = await gateway.fences(env, known, signal)
        const isOther = known !== undefined && known !== answer.version
        known = answer.version
        if (!this.#take(env, answer) && isOther && answer.fences)
          await sleep(this.#pauseWithoutNewsMs, undefined, { signal })
      } catch (error) {
        if (signal.aborted) return
        logger.debug({ err: error, env }, 'the fences could not be asked for')
        await sleep(pauseMs, undefined, { signal }).catch(() => {})
      }
    }
  }

  /** Whether anything is different now. */
  #take(env: Environment, answer: WorkerFences): boolean {
    const before: ByName = this.#byEnvironment.get(env) ?? new Map()
    const now = changedBy(before, answer)
    if (isDeepStrictEqual(now, before)) return false
    this.#byEnvironment.set(env, now)
    this.#compose()
    return true
  }
}

function changedBy(before: ByName, { fences, changed = [], removed = [] }: WorkerFences): ByName {
  const now = new Map(fences ? [] : before)
  for (const name of removed) now.delete(name)
  for (const fence of fences ?? changed) now.set(fence.name, fence)
  return now
}
