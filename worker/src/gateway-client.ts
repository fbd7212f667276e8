import type { WorkerConfig, WorkerKeys } from '@switchroom/contract/calls'
import type { AppendEntries, Appended, Entry, EventPage } from '@switchroom/contract/log'
import type {
  AnswerOffer,
  BeatTold,
  TakenPlacement,
  TellPlacement,
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
import { setTimeout as sleep } from 'node:timers/promises'
import { KeptConnections, type Asked } from './kept-connections.ts'
import type { Settings } from './settings.ts'

const answerWithinMs = 10_000
/** A gateway waits so long for something to happen, and an answer takes a moment. */
const waitWithinMs = 40_000
/** An app may take long over a tool; the gateway says when it took too long. */
const toolsWithinMs = 10 * 60_000
const uploadWithinMs = 10 * 60_000
const firstPauseMs = 200
const longestPauseMs = 5_000
/** Past this a gateway has taken the worker of a call as lost. */
const triedForMs = 30_000

/** The gateway said no, in a sentence. */
export class GatewayRefusal extends Error {
  readonly status: number

  constructor(status: number, sentence: string) {
    super(sentence)
    this.status = status
  }
}

/** No gateway answered, or it broke while it did. */
export class GatewayAway extends Error {}

/** What a worker asks of the gateway, which keeps everything. */
export class GatewayClient {
  readonly worker: string
  readonly #url: string
  readonly #authorization: string
  readonly #connections: KeptConnections

  constructor({ gatewayUrl, fleetKey }: Pick<Settings, 'gatewayUrl' | 'fleetKey'>, worker: string) {
    this.worker = worker
    this.#url = gatewayUrl
    this.#authorization = `Bearer ${fleetKey}`
    this.#connections = new KeptConnections(this.#url, this.#authorization)
  }

  /** Opened once however often it is asked: the worker names the call itself. */
  openCall(
    wanted: OpenWorkerCall,
    place: { org?: string; env?: Environment } = {},
  ): Promise<OpenedWorkerCall> {
    const headers = { ...(place.org && { 'svc-org': place.org }), ...(place.env && { 'svc-env': place.env }) }
    const body = { ...wanted, worker: this.worker }
    return this.#again({ method: 'POST', path: '/v1/worker/calls', body, headers, withinMs: answerWithinMs })
  }

  fences(env: Environment, after: string | undefined, signal: AbortSignal): Promise<WorkerFences> {
    const query = new URLSearchParams({ env, ...(after !== undefined && { after }) })
    const path = `/v1/worker/fences?${query.toString()}`
    return this.#ask({ method: 'GET', path, withinMs: waitWithinMs, signal })
  }

  takePlacement(env: Environment, signal: AbortSignal): Promise<TakenPlacement> {
    const body = { worker: this.worker }
    const headers = { 'svc-env': env }
    return this.#ask({
      method: 'POST',
      path: '/v1/worker/placements',
      body,
      headers,
      withinMs: waitWithinMs,
      signal,
    })
  }

  tellPlacement(call: string, told: Omit<TellPlacement, 'worker'>): Promise<unknown> {
    const body = { ...told, worker: this.worker }
    return this.#again({
      method: 'POST',
      path: `/v1/worker/placements/${call}`,
      body,
      withinMs: answerWithinMs,
    })
  }

  answerOffer(call: string, answer: Omit<AnswerOffer, 'worker'>): Promise<unknown> {
    const body = { ...answer, worker: this.worker }
    return this.#again({ method: 'POST', path: `/v1/worker/offers/${call}`, body, withinMs: answerWithinMs })
  }

  tellLoad(beat: Omit<WorkerBeat, 'worker'>): Promise<BeatTold> {
    const body = { ...beat, worker: this.worker }
    return this.#ask({ method: 'POST', path: '/v1/worker/beats', body, withinMs: answerWithinMs })
  }

  /** Asked again until the gateway has the batch, which it takes once. */
  append(call: string, { entries, batch }: AppendEntries): Promise<Appended> {
    const body = { entries, ...(batch !== undefined && { batch }) }
    return this.#again({ method: 'POST', path: pathOf(call, 'events'), body, withinMs: answerWithinMs })
  }

  /** Says that whoever runs the call lives. */
  beat(call: string): Promise<Appended> {
    const body = { entries: [] }
    return this.#ask({ method: 'POST', path: pathOf(call, 'events'), body, withinMs: answerWithinMs })
  }

  async entriesOf(call: string): Promise<Entry[]> {
    const entries: Entry[] = []
    for (let after = 0; ;) {
      const path = `${pathOf(call, 'events')}?after=${after}&limit=1000`
      const page = await this.#again<EventPage>({ method: 'GET', path, withinMs: answerWithinMs })
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
    return this.#again({ method: 'POST', path: pathOf(call, 'tools'), body: asked, withinMs: toolsWithinMs })
  }

  prepare(call: string, turn: number): Promise<PreparedTurn> {
    return this.#again({
      method: 'POST',
      path: pathOf(call, 'preparing'),
      body: { turn },
      withinMs: waitWithinMs,
    })
  }

  instructions(call: string): Promise<CallInstructions> {
    return this.#again({ method: 'GET', path: pathOf(call, 'instructions'), withinMs: answerWithinMs })
  }

  config(agent: string, call: string): Promise<WorkerConfig> {
    return this.#again({
      method: 'GET',
      path: ofAgent(agent, 'config', { for_call: call }),
      withinMs: answerWithinMs,
    })
  }

  providerKeys(agent: string, call: string): Promise<WorkerKeys> {
    const path = ofAgent(agent, 'provider-keys', { for_call: call })
    return this.#again({ method: 'GET', path, withinMs: answerWithinMs })
  }

  tellExtension(call: string, digits: string): Promise<unknown> {
    return this.#again({
      method: 'POST',
      path: pathOf(call, 'extension'),
      body: { digits },
      withinMs: answerWithinMs,
    })
  }

  /** Not asked again: each time counts as a dial. */
  outboundTrunk(agent: string, call: string, to: string): Promise<TrunkForLeg> {
    return this.#ask({
      method: 'GET',
      path: ofAgent(agent, 'outbound-trunk', { to, call }),
      withinMs: answerWithinMs,
    })
  }

  /** Not asked again: each time counts as a dial. */
  coldTransfer(agent: string, call: string, to: string): Promise<unknown> {
    return this.#ask({
      method: 'POST',
      path: ofAgent(agent, 'cold-transfer', { to, call }),
      withinMs: answerWithinMs,
    })
  }

  async uploadRecording(call: string, file: Readable): Promise<void> {
    const told = await this.#connections.upload(pathOf(call, 'recording'), file, 'audio/wav', uploadWithinMs)
    refuseUnlessGood(told)
  }

  async #again<Answer>(asked: Asked): Promise<Answer> {
    const begun = performance.now()
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        return await this.#ask(asked)
      } catch (error) {
        const isLate = performance.now() - begun + pauseMs > triedForMs
        if (isLate || !(error instanceof GatewayAway) || asked.signal?.aborted) throw error
        await sleep(pauseMs)
      }
    }
  }

  async #ask<Answer>(asked: Asked): Promise<Answer> {
    const told = await this.#connections.ask(asked).catch((error: Error) => {
      throw new GatewayAway(`the gateway does not answer: ${error.message}`, { cause: error })
    })
    refuseUnlessGood(told)
    return (told.text === '' ? undefined : JSON.parse(told.text)) as Answer
  }
}

const pathOf = (call: string, what: string) => `/v1/calls/${encodeURIComponent(call)}/${what}`

const ofAgent = (agent: string, what: string, query: Record<string, string>) =>
  `/v1/agents/${encodeURIComponent(agent)}/${what}?${new URLSearchParams(query).toString()}`

function refuseUnlessGood({ status, text }: { status: number; text: string }) {
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
