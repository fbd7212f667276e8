import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import { refusalOf } from '../foundation/refusals.ts'
import type { GatewayClient } from '../gateway/gateway-client.ts'
import type { LiveLimits } from './live-limits.ts'
import type { LiveStream } from './live-stream.ts'

/** How many streams one request may name. */
const mostAtOnce = 10_000

/** The live streams of this process. A periodic task checks their keys, in one request for all of them. */
export class OpenStreams {
  readonly #gateway: Pick<GatewayClient, 'judgeStreams'>
  readonly #limits: Pick<LiveLimits, 'judgeEveryMs' | 'leavingMs'>
  readonly #streams = new Map<string, { stream: LiveStream; over: Promise<void> }>()

  constructor(
    gateway: Pick<GatewayClient, 'judgeStreams'>,
    limits: Pick<LiveLimits, 'judgeEveryMs' | 'leavingMs'>,
  ) {
    this.#gateway = gateway
    this.#limits = limits
  }

  get count(): number {
    return this.#streams.size
  }

  get judgement(): PeriodicTask {
    return { name: 'judge open streams', everyMs: this.#limits.judgeEveryMs, run: () => this.#judge() }
  }

  async run(stream: LiveStream): Promise<void> {
    const over = stream.run()
    this.#streams.set(stream.grant, { stream, over })
    await over.finally(() => this.#streams.delete(stream.grant))
  }

  /** Finishes every stream, and cuts off those that take too long: the server's close waits for its sockets. */
  async leave(): Promise<void> {
    const open = [...this.#streams.values()]
    for (const { stream } of open) stream.stop()
    const late = setTimeout(() => {
      for (const { stream } of open) stream.cutOff()
    }, this.#limits.leavingMs)
    await Promise.all(open.map(({ over }) => over))
    clearTimeout(late)
  }

  /** Asks the gateway whether the keys of all streams are still valid. */
  async #judge() {
    const all = [...this.#streams.values()].map(({ stream: { grant, seconds } }) => ({ grant, seconds }))
    for (let at = 0; at < all.length; at += mostAtOnce) {
      const { refused } = await this.#gateway.judgeStreams({ streams: all.slice(at, at + mostAtOnce) })
      for (const [grant, refusal] of Object.entries(refused))
        this.#streams.get(grant)?.stream.end(refusalOf(refusal))
    }
  }
}
