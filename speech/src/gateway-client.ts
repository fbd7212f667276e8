import type {
  AskEntry,
  AskGrant,
  AskStreams,
  Entered,
  Grant,
  Granted,
  Settle,
  SpeechVoices,
  SpeechVoicesAsked,
  StreamsJudged,
  VoiceDoing,
} from '@switchroom/contract/voice-server'
import type { FastifyBaseLogger } from 'fastify'
import { setTimeout as sleep } from 'node:timers/promises'
import { KeptConnections } from './kept-connections.ts'
import { Refusal, refusalOf } from './refusals.ts'
import type { Settings } from './settings.ts'

const answerWithinMs = 10_000
const firstPauseMs = 250
const longestPauseMs = 15_000
/** Past this the gateway has settled the grant by itself. */
const settleWithinMs = 10 * 60_000

const unavailable = () =>
  new Refusal(503, 'UNAVAILABLE', 'the gateway does not answer: try again in a moment', {
    'retry-after': '1',
  })

/** What the voice server asks of the gateway, which keeps everything: keys, vendors, credits. */
export class GatewayClient {
  readonly #connections: KeptConnections
  readonly #logger: FastifyBaseLogger
  readonly #settling = new Set<Promise<void>>()

  constructor(
    { gatewayUrl, fleetKey }: Pick<Settings, 'gatewayUrl' | 'fleetKey'>,
    logger: FastifyBaseLogger,
  ) {
    this.#connections = new KeptConnections(gatewayUrl, `Bearer ${fleetKey}`, answerWithinMs)
    this.#logger = logger
  }

  /** Who is calling, counted; refused where they may not. */
  async enter(doing: VoiceDoing, key: string | null): Promise<Entered> {
    const ask: AskEntry = { doing, key }
    const entered = await this.#ask<Entered>('/v1/voice/entries', ask)
    if (entered.refusal) throw refusalOf(entered.refusal)
    return entered
  }

  /** The vendor that serves a request. Every grant is settled, whatever becomes of it. */
  async grant(ask: AskGrant): Promise<Grant> {
    const { grant, refusal } = await this.#ask<Granted>('/v1/voice/grants', ask)
    if (refusal) throw refusalOf(refusal)
    if (!grant) throw new Error('the gateway answered neither a grant nor a refusal')
    return grant
  }

  /** Says what became of a grant, again and again until the gateway heard it. */
  settle(grant: string, settlement: Settle): void {
    const settling = this.#settleUntilHeard(grant, settlement).finally(() => this.#settling.delete(settling))
    this.#settling.add(settling)
  }

  /** Settlements that are still being told, for as long as there is time. */
  async settled(withinMs: number): Promise<void> {
    const late = sleep(withinMs, undefined, { ref: false })
    await Promise.race([Promise.all(this.#settling), late])
  }

  async judgeStreams(ask: AskStreams): Promise<StreamsJudged> {
    return this.#ask<StreamsJudged>('/v1/voice/streams', ask)
  }

  async voices(filter: SpeechVoicesAsked): Promise<SpeechVoices> {
    return this.#ask<SpeechVoices>(`/v1/voice/voices?${new URLSearchParams(filter).toString()}`)
  }

  async #settleUntilHeard(grant: string, settlement: Settle): Promise<void> {
    const begun = performance.now()
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        await this.#ask(`/v1/voice/grants/${encodeURIComponent(grant)}/settlement`, settlement)
        return
      } catch (error) {
        const isLate = performance.now() - begun > settleWithinMs
        if (isLate || !(error instanceof Refusal))
          return this.#logger.error({ err: error, grant }, 'a grant could not be settled')
        await sleep(pauseMs, undefined, { ref: false })
      }
    }
  }

  /** Asked twice, it may count twice; what is held for a grant that nobody heard of, the gateway gives back. */
  async #ask<Answer>(path: string, body?: object): Promise<Answer> {
    const { status, text } = await this.#connections.ask(path, body).catch((error: Error) => {
      this.#logger.error({ err: error }, 'the gateway does not answer')
      throw unavailable()
    })
    if (status === 200) return JSON.parse(text) as Answer
    this.#logger.error({ status, path: path.split('?', 1)[0] }, 'the gateway refused us')
    if (status >= 500) throw unavailable()
    throw new Error(`the gateway answered ${status}: ${text.slice(0, 300)}`)
  }
}
