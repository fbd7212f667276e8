import { setTimeout as pause } from 'node:timers/promises'
import { KeptConnections } from './kept-connection.ts'
import { LogStream } from './log-stream.ts'
import { Stalls } from '../stalls.ts'

/** What a process of callers is started with. */
export interface CallersTask {
  /** Appended to, and read at; the same or not. */
  routes: { appendsAt: string; readsAt: string; key: string }[]
  calls: number
}

export interface CallersReport {
  entries: number
  appends: number
  /** From the moment in which something happened to the answer to its append. */
  appendsMs: number[]
  /** Of each entry, from its answered append to the reader. */
  arrivalsMs: number[]
  refused: string[]
  faults: string[]
  /** Entries that were appended and never read. */
  missed: number
  stalls: { count: number; longestMs: number }
}

interface LiveCall {
  id: string
  key: string
  gateway: KeptConnections
  stream: LogStream
  seq: number
  answeredMs: Map<number, number>
  /** As JSON: a worker sends one batch at a time, and what happens meanwhile goes into the next. */
  waiting: { entries: string[]; sinceMs: number }[]
  sending: Promise<void> | undefined
}

/** What a spoken turn leaves in its log, in the requests in which a worker sends it. */
const text = 'I would like to change my reservation.'
const turn = [
  [
    { type: 'user.message', data: { text, messageId: 'm_1' } },
    { type: 'turn.end', data: { text, probability: 0.93 } },
  ],
  [
    { type: 'metrics', data: { stage: 'llm', vendor: 'openai', model: 'gpt-4o', input: 812, output: 34 } },
    { type: 'agent.message', data: { text: 'Of course, to which day?', messageId: 'm_2', source: 'model' } },
    { type: 'bot.speaking', data: { messageId: 'm_2', text: 'Of course, to which day?' } },
  ],
  [{ type: 'metrics', data: { stage: 'tts', vendor: 'openai', model: 'tts-1', characters: 24 } }],
  [{ type: 'bot.finished', data: { messageId: 'm_2', durationMs: 1840 } }],
]
const moments = turn.map((entries) => entries.map((entry) => JSON.stringify(entry)))
const entriesOfTurn = turn.flat().length
const perCallAndSecond = 2.1
const everyMs = (1000 * entriesOfTurn) / perCallAndSecond / turn.length
const openedAtOnce = 16
const arrivesWithinMs = 15_000

class Callers {
  readonly #task: CallersTask
  readonly #calls: LiveCall[] = []
  readonly #gateways = new Map<string, KeptConnections>()
  #report = { entries: 0, appends: 0, appendsMs: [] as number[], arrivalsMs: [] as number[] }
  readonly #refused: string[] = []
  readonly #faults: string[] = []

  constructor(task: CallersTask) {
    this.#task = task
  }

  async open() {
    const { calls } = this.#task
    let next = 0
    const openSome = async () => {
      while (next < calls) this.#calls.push(await this.#openCall(next++))
    }
    await Promise.all(Array.from({ length: openedAtOnce }, openSome))
  }

  async #openCall(at: number): Promise<LiveCall> {
    const { routes } = this.#task
    const route = routes[at % routes.length]
    if (!route) throw new Error('there is no gateway')
    const { appendsAt, readsAt, key } = route
    const gateway = this.#gatewayAt(appendsAt)
    const sent = JSON.stringify({ agent: 'desk' })
    const { status, body } = await gateway.ask('POST', '/v1/calls', key, sent)
    if (status !== 201) throw new Error(`a call was answered ${status} ${body}`)
    const id = (JSON.parse(body) as { call: string }).call
    const answeredMs = new Map<number, number>()
    const stream = new LogStream(new URL(readsAt), key, id, {
      onEntry: (seq) => {
        // The reader may have it before the writer is answered.
        const sinceMs = answeredMs.get(seq)
        this.#report.arrivalsMs.push(sinceMs === undefined ? 0 : performance.now() - sinceMs)
        answeredMs.delete(seq)
      },
      onFault: (fault) => this.#faults.push(fault),
    })
    await stream.caughtUp
    return { id, key, gateway, stream, seq: stream.seen, answeredMs, waiting: [], sending: undefined }
  }

  #gatewayAt(url: string): KeptConnections {
    const gateway = this.#gateways.get(url) ?? new KeptConnections(new URL(url))
    this.#gateways.set(url, gateway)
    return gateway
  }

  /** Each call at its own pace, with its own phase, whatever the others do. */
  async run(steadyMs: number): Promise<CallersReport> {
    using stalls = new Stalls()
    this.#report = { entries: 0, appends: 0, appendsMs: [], arrivalsMs: [] }
    const begunMs = performance.now()
    await Promise.all(
      this.#calls.map((call, at) =>
        this.#live(call, begunMs + (at / this.#calls.length) * everyMs, begunMs + steadyMs),
      ),
    )
    const missed = await this.#untilRead()
    const stood = { count: stalls.count, longestMs: stalls.longestMs }
    return { ...this.#report, refused: this.#refused, faults: this.#faults, missed, stalls: stood }
  }

  async #live(call: LiveCall, begunMs: number, untilMs: number) {
    for (let n = 0; begunMs + n * everyMs < untilMs; n += 1) {
      const waitMs = begunMs + n * everyMs - performance.now()
      if (waitMs > 0) await pause(waitMs)
      call.waiting.push({ entries: moments[n % moments.length] ?? [], sinceMs: performance.now() })
      call.sending ??= this.#sendAll(call).finally(() => (call.sending = undefined))
    }
    await call.sending
  }

  async #sendAll(call: LiveCall) {
    while (call.waiting.length > 0) await this.#append(call, call.waiting.splice(0))
  }

  async #append(call: LiveCall, batch: LiveCall['waiting']) {
    const entries = batch.flatMap((moment) => moment.entries)
    const body = `{"entries":[${entries.join()}]}`
    try {
      const answer = await call.gateway.ask('POST', `/v1/calls/${call.id}/events`, call.key, body)
      const nowMs = performance.now()
      this.#report.appends += 1
      for (const { sinceMs } of batch) this.#report.appendsMs.push(nowMs - sinceMs)
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`)
      const { seq } = JSON.parse(answer.body) as { seq: number }
      for (let at = seq - entries.length + 1; at <= seq; at += 1)
        if (at > call.stream.seen) call.answeredMs.set(at, nowMs)
      call.seq = Math.max(call.seq, seq)
      this.#report.entries += entries.length
    } catch (error) {
      this.#refused.push(messageOf(error))
    }
  }

  async #untilRead(): Promise<number> {
    const missing = () =>
      this.#calls.reduce((sum, { seq, stream }) => sum + Math.max(0, seq - stream.seen), 0)
    const untilMs = performance.now() + arrivesWithinMs
    while (missing() > 0 && performance.now() < untilMs) await pause(50)
    return missing()
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

// Callers, their worker and the readers of their logs, in a process of their own.
const callers = new Callers(JSON.parse(process.env['CALLERS_TASK'] ?? '') as CallersTask)
process.on(
  'message',
  (steadyMs: number) => void callers.run(steadyMs).then((report) => process.send?.(report)),
)
process.on('SIGTERM', () => process.exit(0))
await callers.open()
process.send?.('ready')
