import type { WorkerConfig, WorkerKeys } from '@switchroom/contract/calls'
import type { FoundPassages, LookUpInCall } from '@switchroom/contract/knowledge'
import type { AppendEntries, Appended, Entry, EventPage } from '@switchroom/contract/log'
import type {
  HeldRegistrations,
  TellRegistrations,
  AnswerOffer,
  BeatTold,
  Reconnect,
  TakenPlacement,
  TellPlacement,
  TellTrunkTest,
  WorkerBeat,
  WorkerFences,
} from '@switchroom/contract/media-plane'
import type { TrunkForLeg } from '@switchroom/contract/placing'
import type { Environment } from '@switchroom/contract/scopes'
import type {
  CallInstructions,
  OpenedWorkerCall,
  OpenWorkerCall,
  PreparedTurn,
  RunTools,
  ToolOutcomes,
} from '@switchroom/contract/worker'
import { followLog, keptEntries } from '@switchroom/sdk/log-follower'
import type { Readable } from 'node:stream'
import { retry } from '@switchroom/process/backoff'
import { JsonClient, type Request, type Response } from '@switchroom/process/json-client'
import type { Settings } from './settings.ts'

const answerTimeoutMs = 10_000
/** A gateway holds a long poll for 30 seconds; the answer may take a moment more. */
const waitTimeoutMs = 40_000
/** A tool may take long; the gateway decides when it timed out. */
const toolsTimeoutMs = 10 * 60_000
const uploadTimeoutMs = 10 * 60_000
const pauses = { firstMs: 200, longestMs: 5_000 }
/** After this time a gateway takes the worker of a call as lost. */
const retryForMs = 30_000

/** The gateway refused, in a sentence. */
export class GatewayRefusal extends Error {
  readonly status: number

  constructor(status: number, sentence: string) {
    super(sentence)
    this.status = status
  }
}

/** No gateway answered, or it broke while it did. */
export class GatewayAway extends Error {}

/** The worker's requests to the gateway. */
export class GatewayClient {
  readonly worker: string
  readonly #url: string
  readonly #authorization: string
  readonly #client: JsonClient

  constructor({ gatewayUrl, fleetKey }: Pick<Settings, 'gatewayUrl' | 'fleetKey'>, worker: string) {
    this.worker = worker
    this.#url = gatewayUrl
    this.#authorization = `Bearer ${fleetKey}`
    this.#client = new JsonClient({ url: gatewayUrl, authorization: this.#authorization })
  }

  /** Opens a connection, which the next request uses. */
  async connect(signal: AbortSignal): Promise<void> {
    await this.#client.request({ method: 'GET', path: '/healthz', timeoutMs: answerTimeoutMs, signal })
  }

  /** Idempotent: the worker chooses the call's id. */
  openCall(
    wanted: OpenWorkerCall,
    scope: { org?: string; env?: Environment } = {},
  ): Promise<OpenedWorkerCall> {
    const headers = { ...(scope.org && { 'svc-org': scope.org }), ...(scope.env && { 'svc-env': scope.env }) }
    const body = { ...wanted, worker: this.worker }
    return this.#retry({
      method: 'POST',
      path: '/v1/worker/calls',
      body,
      headers,
      timeoutMs: answerTimeoutMs,
    })
  }

  fences(env: Environment, after: string | undefined, signal: AbortSignal): Promise<WorkerFences> {
    const query = new URLSearchParams({ env, changes: 'true', ...(after !== undefined && { after }) })
    const path = `/v1/worker/fences?${query.toString()}`
    const headers = { 'accept-encoding': 'gzip' }
    return this.#request({ method: 'GET', path, headers, timeoutMs: waitTimeoutMs, signal })
  }

  takePlacement(env: Environment, signal: AbortSignal): Promise<TakenPlacement> {
    const body = { worker: this.worker, tests: true }
    const headers = { 'svc-env': env }
    return this.#request({
      method: 'POST',
      path: '/v1/worker/placements',
      body,
      headers,
      timeoutMs: waitTimeoutMs,
      signal,
    })
  }

  tellPlacement(call: string, told: Omit<TellPlacement, 'worker'>): Promise<unknown> {
    const body = { ...told, worker: this.worker }
    return this.#retry({
      method: 'POST',
      path: `/v1/worker/placements/${call}`,
      body,
      timeoutMs: answerTimeoutMs,
    })
  }

  tellTrunkTest(id: string, found: Omit<TellTrunkTest, 'worker'>): Promise<unknown> {
    const body = { ...found, worker: this.worker }
    const path = `/v1/worker/trunk-tests/${encodeURIComponent(id)}`
    return this.#retry({ method: 'POST', path, body, timeoutMs: answerTimeoutMs })
  }

  /** What the browser of a running call offers anew. */
  reconnectOf(call: string): Promise<Reconnect> {
    const path = `/v1/worker/offers/${call}?worker=${encodeURIComponent(this.worker)}`
    return this.#retry({ method: 'GET', path, timeoutMs: answerTimeoutMs })
  }

  answerOffer(call: string, answer: Omit<AnswerOffer, 'worker'>): Promise<unknown> {
    const body = { ...answer, worker: this.worker }
    return this.#retry({
      method: 'POST',
      path: `/v1/worker/offers/${call}`,
      body,
      timeoutMs: answerTimeoutMs,
    })
  }

  tellRegistrations(told: Omit<TellRegistrations, 'worker'>): Promise<HeldRegistrations> {
    const body = { ...told, worker: this.worker }
    return this.#request({
      method: 'POST',
      path: '/v1/worker/registrations',
      body,
      timeoutMs: answerTimeoutMs,
    })
  }

  tellLoad(beat: Omit<WorkerBeat, 'worker'>): Promise<BeatTold> {
    const body = { ...beat, worker: this.worker }
    return this.#request({ method: 'POST', path: '/v1/worker/beats', body, timeoutMs: answerTimeoutMs })
  }

  /** Retried until the gateway has the batch, which it stores once. */
  append(call: string, { entries, batch }: AppendEntries): Promise<Appended> {
    const body = { entries, ...(batch !== undefined && { batch }) }
    return this.#retry({ method: 'POST', path: pathOf(call, 'events'), body, timeoutMs: answerTimeoutMs })
  }

  /** A heartbeat: this worker still runs the call. */
  beat(call: string): Promise<Appended> {
    const body = { entries: [] }
    return this.#request({ method: 'POST', path: pathOf(call, 'events'), body, timeoutMs: answerTimeoutMs })
  }

  async entriesOf(call: string): Promise<Entry[]> {
    const entries: Entry[] = []
    for (let after = 0; ;) {
      const path = `${pathOf(call, 'events')}?after=${after}&limit=1000`
      const page = await this.#retry<EventPage>({ method: 'GET', path, timeoutMs: answerTimeoutMs })
      entries.push(...page.entries)
      if (page.entries.length === 0 || page.next === after) return entries
      after = page.next
    }
  }

  /** The entries after this one as they are written, up to `call.ended`; ends early when the signal aborts. */
  follow(call: string, after: number, signal: AbortSignal): AsyncIterable<Entry> {
    const log = {
      url: this.#url,
      headers: { authorization: this.#authorization },
      path: pathOf(call, 'events'),
    }
    return keptEntries(followLog({ ...log, after, hasEnd: true, signal }))
  }

  runTools(call: string, asked: RunTools): Promise<ToolOutcomes> {
    return this.#retry({
      method: 'POST',
      path: pathOf(call, 'tools'),
      body: asked,
      timeoutMs: toolsTimeoutMs,
    })
  }

  prepare(call: string, turn: number): Promise<PreparedTurn> {
    return this.#retry({
      method: 'POST',
      path: pathOf(call, 'preparing'),
      body: { turn },
      timeoutMs: waitTimeoutMs,
    })
  }

  /** Not retried: the turn that asks does not wait for long. */
  lookUp(call: string, asked: LookUpInCall, signal: AbortSignal): Promise<FoundPassages> {
    const path = pathOf(call, 'look-ups')
    return this.#request({ method: 'POST', path, body: asked, timeoutMs: answerTimeoutMs, signal })
  }

  instructions(call: string): Promise<CallInstructions> {
    return this.#retry({ method: 'GET', path: pathOf(call, 'instructions'), timeoutMs: answerTimeoutMs })
  }

  config(agent: string, call: string): Promise<WorkerConfig> {
    return this.#retry({
      method: 'GET',
      path: ofAgent(agent, 'config', { for_call: call }),
      timeoutMs: answerTimeoutMs,
    })
  }

  providerKeys(agent: string, call: string): Promise<WorkerKeys> {
    const path = ofAgent(agent, 'provider-keys', { for_call: call })
    return this.#retry({ method: 'GET', path, timeoutMs: answerTimeoutMs })
  }

  tellExtension(call: string, digits: string): Promise<unknown> {
    return this.#retry({
      method: 'POST',
      path: pathOf(call, 'extension'),
      body: { digits },
      timeoutMs: answerTimeoutMs,
    })
  }

  /** Not retried: each request counts as a dial. */
  outboundTrunk(agent: string, call: string, to: string): Promise<TrunkForLeg> {
    return this.#request({
      method: 'GET',
      path: ofAgent(agent, 'outbound-trunk', { to, call }),
      timeoutMs: answerTimeoutMs,
      isOnce: true,
    })
  }

  /** Not retried: each request counts as a dial. */
  coldTransfer(agent: string, call: string, to: string): Promise<unknown> {
    return this.#request({
      method: 'POST',
      path: ofAgent(agent, 'cold-transfer', { to, call }),
      timeoutMs: answerTimeoutMs,
      isOnce: true,
    })
  }

  async uploadRecording(
    call: string,
    file: Readable,
    { contentType, peaks }: { contentType: string; peaks: Uint8Array },
  ): Promise<void> {
    const path = pathOf(call, 'recording')
    const headers = { 'content-type': contentType, 'svc-peaks': Buffer.from(peaks).toString('base64') }
    const upload = { path, file, headers, timeoutMs: uploadTimeoutMs }
    refuseUnlessGood(await this.#client.upload(upload))
  }

  #retry<Answer>(request: Request): Promise<Answer> {
    const isRetryable = (error: unknown) => error instanceof GatewayAway && !request.signal?.aborted
    return retry(() => this.#request<Answer>(request), { ...pauses, forMs: retryForMs, isRetryable })
  }

  async #request<Answer>(request: Request): Promise<Answer> {
    const response = await this.#client.request(request).catch((error: Error) => {
      throw new GatewayAway(`the gateway does not answer: ${error.message}`, { cause: error })
    })
    refuseUnlessGood(response)
    return (response.text === '' ? undefined : JSON.parse(response.text)) as Answer
  }
}

const pathOf = (call: string, what: string) => `/v1/calls/${encodeURIComponent(call)}/${what}`

const ofAgent = (agent: string, what: string, query: Record<string, string>) =>
  `/v1/agents/${encodeURIComponent(agent)}/${what}?${new URLSearchParams(query).toString()}`

function refuseUnlessGood({ status, text }: Response) {
  if (status >= 200 && status < 300) return
  const sentence = detailIn(text) ?? `the gateway answered ${status}`
  throw status >= 500 ? new GatewayAway(sentence) : new GatewayRefusal(status, sentence)
}

function detailIn(text: string): string | undefined {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    return typeof detail === 'string' ? detail : undefined
  } catch {
    return undefined
  }
}
