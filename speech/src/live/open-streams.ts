import { refusalOf } from '../refusals.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { GatewayClient } from '../gateway-client.ts'
import type { LiveLimits } from './live-limits.ts'
import type { LiveStream } from './live-stream.ts'

/** As many as one question may name. */
const mostAtOnce = 10_000

/** The streams of this process: whether their keys still open them is asked for all at once, every now and then. */
export class OpenStreams {
  readonly #gateway: Pick<GatewayClient, 'judgeStreams'>
  readonly #logger: FastifyBaseLogger
  readonly #limits: Pick<LiveLimits, 'judgeEveryMs' | 'leavingMs'>
  readonly #streams = new Map<string, { stream: LiveStream; over: Promise<void> }>()
  #timer: NodeJS.Timeout | undefined

  constructor(
    gateway: Pick<GatewayClient, 'judgeStreams'>,
    limits: Pick<LiveLimits, 'judgeEveryMs' | 'leavingMs'>,
    logger: FastifyBaseLogger,
  ) {
    this.#gateway = gateway
    this.#limits = limits
    this.#logger = logger
  }

  async run(stream: LiveStream): Promise<void> {
    const over = stream.run()
    this.#streams.set(stream.grant, { stream, over })
    this.#timer ??= setInterval(() => void this.#judge(), this.#limits.judgeEveryMs)
    await over.finally(() => this.#delete(stream))
  }

  /** Every stream is told to finish, and cut off where that takes too long: a server waits for its sockets. */
  async leave(): Promise<void> {
    const open = [...this.#streams.values()]
    for (const { stream } of open) stream.stop()
    const late = setTimeout(() => {
      for (const { stream } of open) stream.cutOff()
    }, this.#limits.leavingMs)
    await Promise.all(open.map(({ over }) => over))
    clearTimeout(late)
  }

  #delete({ grant }: LiveStream) {
    this.#streams.delete(grant)
    if (this.#streams.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #judge() {
    const all = [...this.#streams.values()].map(({ stream: { grant, seconds } }) => ({ grant, seconds }))
    try {
      for (let at = 0; at < all.length; at += mostAtOnce) {
        const { refused } = await this.#gateway.judgeStreams({ streams: all.slice(at, at + mostAtOnce) })
        for (const [grant, refusal] of Object.entries(refused))
          this.#streams.get(grant)?.stream.end(refusalOf(refusal))
      }
    } catch (error) {
      this.#logger.warn({ err: error }, 'open streams could not be judged, and go on') // asked again soon
    }
  }
}
