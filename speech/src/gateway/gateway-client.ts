import type {
  AskEntry,
  AskGrant,
  AskStreams,
  Entered,
  Grant,
  Granted,
  Settle,
  SpeechModels,
  SpeechVoices,
  SpeechVoicesAsked,
  StreamsJudged,
  VoiceDoing,
} from '@switchroom/contract/voice-server'
import { retry } from '@switchroom/process/backoff'
import { JsonClient } from '@switchroom/process/json-client'
import type { FastifyBaseLogger } from 'fastify'
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal, refusalOf } from '../foundation/refusals.ts'
import type { Settings } from '../foundation/settings.ts'

const answerTimeoutMs = 10_000
/** After this time the gateway has settled the grant by itself. */
const settleRetries = { firstMs: 250, longestMs: 15_000, forMs: 10 * 60_000 }

const unavailable = () =>
  new Refusal(503, 'UNAVAILABLE', 'the gateway does not answer: try again in a moment', {
    'retry-after': '1',
  })

/** The voice server's requests to the gateway, which owns keys, vendors and credit. */
export class GatewayClient {
  readonly #client: JsonClient
  readonly #logger: FastifyBaseLogger
  readonly #unsettled = new Set<Promise<void>>()

  constructor(
    { gatewayUrl, fleetKey }: Pick<Settings, 'gatewayUrl' | 'fleetKey'>,
    logger: FastifyBaseLogger,
  ) {
    this.#client = new JsonClient({ url: gatewayUrl, authorization: `Bearer ${fleetKey}` })
    this.#logger = logger
  }

  /** Checks a key and counts the request; throws the gateway's refusal. */
  async enter(doing: VoiceDoing, key: string | null): Promise<Entered> {
    const ask: AskEntry = { doing, key }
    const entered = await this.#request<Entered>('/v1/voice/entries', ask)
    if (entered.refusal) throw refusalOf(entered.refusal)
    return entered
  }

  /** The vendor that serves a request. Every grant must be settled, also after a failure. */
  async grant(ask: AskGrant): Promise<Grant> {
    const { grant, refusal } = await this.#request<Granted>('/v1/voice/grants', ask)
    if (refusal) throw refusalOf(refusal)
    if (!grant) throw new Error('the gateway answered neither a grant nor a refusal')
    return grant
  }

  /** Reports the outcome of a grant, and retries until the gateway has it. */
  settle(grant: string, settlement: Settle): void {
    const settled = this.#settle(grant, settlement).finally(() => this.#unsettled.delete(settled))
    this.#unsettled.add(settled)
  }

  /** Waits for settlements under way, up to this time. */
  async settled(withinMs: number): Promise<void> {
    const late = sleep(withinMs, undefined, { ref: false })
    await Promise.race([Promise.all(this.#unsettled), late])
  }

  async judgeStreams(ask: AskStreams): Promise<StreamsJudged> {
    return this.#request<StreamsJudged>('/v1/voice/streams', ask)
  }

  async voices(filter: SpeechVoicesAsked): Promise<SpeechVoices> {
    return this.#request<SpeechVoices>(`/v1/voice/voices?${new URLSearchParams(filter).toString()}`)
  }

  async models({ org, env }: Entered): Promise<SpeechModels> {
    const asked = new URLSearchParams({ org, ...(env && { env }) })
    return this.#request<SpeechModels>(`/v1/voice/models?${asked.toString()}`)
  }

  async #settle(grant: string, settlement: Settle): Promise<void> {
    const path = `/v1/voice/grants/${encodeURIComponent(grant)}/settlement`
    const isRetryable = (error: unknown) => error instanceof Refusal
    try {
      await retry(() => this.#request(path, settlement), { ...settleRetries, isRetryable })
    } catch (error) {
      this.#logger.error({ err: error, grant }, 'a grant could not be settled')
    }
  }

  /** A request that is sent twice may count twice; the gateway releases a grant that never reached us. */
  async #request<Answer>(path: string, body?: object): Promise<Answer> {
    const method = body ? 'POST' : 'GET'
    const request = { method, path, timeoutMs: answerTimeoutMs, ...(body && { body }) } as const
    const { status, text } = await this.#client.request(request).catch((error: Error) => {
      this.#logger.error({ err: error }, 'the gateway does not answer')
      throw unavailable()
    })
    if (status === 200) return JSON.parse(text) as Answer
    this.#logger.error({ status, path: path.split('?', 1)[0] }, 'the gateway refused us')
    if (status >= 500) throw unavailable()
    throw new Error(`the gateway answered ${status}: ${text.slice(0, 300)}`)
  }
}
