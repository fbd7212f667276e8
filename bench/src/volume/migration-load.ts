import { get, type ClientRequest } from 'node:http'
import type { OperatorAnswer } from '../deployment.ts'
import type { Stalls } from '../stalls.ts'
import { keyOf, largeOrg, smallOrg } from './volume-shape.ts'

/** A request, or an entry on its way to a reader, and how long it took. */
export interface Waited {
  gateway: string
  kind: string
  phase: string
  /** Without the time in which the machine stood still. */
  ms: number
  failure?: string
}

interface Gateway {
  name: string
  url: string
  /** Open calls that are appended to, each read at every gateway. */
  calls: string[]
}

/** So many calls of each gateway are appended to. */
const callsOfGateway = 12
/** How often a second each gateway is asked. */
const rates = { whoami: 20, 'open a call': 4, append: 24, sessions: 6, 'agent sessions': 2, 'log page': 8 }
type Kind = keyof typeof rates

const headers = (org: string) => ({
  authorization: `Bearer ${keyOf(org)}`,
  'content-type': 'application/json',
})

/** Requests at a steady pace to every gateway it is given, whatever the earlier ones do. */
export class MigrationLoad {
  readonly waited: Waited[] = []
  phase = 'before'
  readonly #stalls: Stalls
  readonly #gateways: Gateway[] = []
  readonly #timers: NodeJS.Timeout[] = []
  readonly #streams: ClientRequest[] = []
  readonly #pending = new Set<Promise<void>>()
  /** When the append of an entry was answered, for readers that see it later. */
  readonly #answeredMs = new Map<string, number>()
  #asked = 0
  #isStopped = false

  constructor(stalls: Stalls) {
    this.#stalls = stalls
  }

  async add(name: string, url: string) {
    const gateway: Gateway = { name, url, calls: [] }
    while (gateway.calls.length < callsOfGateway) {
      const { call } = await this.#ask(gateway, 'POST', '/v1/calls', { agent: 'a3' })
      gateway.calls.push(call)
    }
    const others = [...this.#gateways]
    this.#gateways.push(gateway)
    for (const reading of this.#gateways) await this.#read(reading, gateway.calls)
    for (const { calls } of others) await this.#read(gateway, calls)
    for (const [kind, perSecond] of Object.entries(rates))
      this.#timers.push(setInterval(() => this.#time(gateway, kind as Kind), 1000 / perSecond))
  }

  /** Resolves once everything that was asked is answered. */
  async stop() {
    for (const timer of this.#timers) clearInterval(timer)
    await Promise.all(this.#pending)
    this.#isStopped = true
    for (const stream of this.#streams) stream.destroy()
  }

  #time(gateway: Gateway, kind: Kind) {
    const asked: Promise<void> = this.#timed(gateway, kind).finally(() => this.#pending.delete(asked))
    this.#pending.add(asked)
  }

  async #timed(gateway: Gateway, kind: Kind) {
    const [beganMs, phase] = [performance.now(), this.phase]
    const asked = { gateway: gateway.name, kind, phase }
    try {
      await this.#once(gateway, kind)
      this.#note(asked, beganMs)
    } catch (error) {
      this.#note(
        { ...asked, failure: String(error instanceof Error ? (error.cause ?? error) : error) },
        beganMs,
      )
    }
  }

  #once(gateway: Gateway, kind: Kind): Promise<unknown> {
    const next = (this.#asked += 1)
    const call = gateway.calls[next % gateway.calls.length] ?? ''
    const read = (path: string, org = largeOrg) => this.#ask(gateway, 'GET', path, undefined, org)
    const ways: Record<Kind, () => Promise<unknown>> = {
      whoami: () => read('/v1/whoami', next % 2 ? largeOrg : smallOrg),
      'open a call': () => this.#ask(gateway, 'POST', '/v1/calls', { agent: 'a1' }),
      sessions: () => read('/v1/sessions'),
      'agent sessions': () => read('/v1/sessions?agent=a1&channel=msgapp'),
      'log page': () => read(`/v1/calls/${call}/events?limit=20`),
      append: () => this.#append(gateway, call, next),
    }
    return ways[kind]()
  }

  async #append(gateway: Gateway, call: string, next: number) {
    const said = { type: 'agent.message', data: { text: `entry ${next} of an hour`, messageId: `m_${next}` } }
    const { seq } = await this.#ask(gateway, 'POST', `/v1/calls/${call}/events`, { entries: [said] })
    this.#answeredMs.set(`${call} ${seq}`, performance.now())
  }

  async #ask(
    { url }: Gateway,
    method: string,
    path: string,
    body?: object,
    org = largeOrg,
  ): Promise<OperatorAnswer> {
    const sent = body && { body: JSON.stringify(body) }
    const answer = await fetch(url + path, { method, headers: headers(org), ...sent })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${answer.status} ${text}`)
    return JSON.parse(text)
  }

  /** Every entry in order and once, or it is a failure. */
  #read(gateway: Gateway, calls: readonly string[]): Promise<unknown> {
    return Promise.all(calls.map((call) => this.#readOne(gateway, call)))
  }

  #readOne({ name, url }: Gateway, call: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    let [unread, seen, isLive] = ['', 0, false]
    const fail = (failure: string) => {
      if (!this.#isStopped)
        this.waited.push({ gateway: name, kind: 'stream', phase: this.phase, ms: 0, failure })
    }
    const asked = get(
      `${url}/v1/calls/${call}/events`,
      { agent: false, headers: { ...headers(largeOrg), accept: 'text/event-stream' } },
      (response) => {
        if (response.statusCode !== 200) fail(`a reader was answered ${response.statusCode}`)
        response.setEncoding('utf8')
        response.on('close', () => fail('a stream was closed'))
        response.on('data', (piece: string) => {
          const blocks = (unread + piece).split('\n\n')
          unread = blocks.pop() ?? ''
          for (const block of blocks) {
            if (block.startsWith('event: log.caught_up')) {
              isLive = true
              resolve()
            }
            if (block.startsWith('event: log.gap')) fail('a gap')
            const seq = Number(/^id: (\d+)$/m.exec(block)?.[1])
            if (!seq) continue
            if (seq !== seen + 1) fail(`${seq} came after ${seen}`)
            seen = seq
            if (isLive) this.#arrived(name, `${call} ${seq}`)
          }
        })
      },
    )
    asked.on('error', (error) => fail(error.message))
    this.#streams.push(asked)
    return promise
  }

  #arrived(gateway: string, entry: string) {
    // The reader may have it before the writer is answered.
    const beganMs = this.#answeredMs.get(entry) ?? performance.now()
    this.#note({ gateway, kind: 'stream', phase: this.phase }, beganMs)
  }

  #note(waited: Omit<Waited, 'ms'>, beganMs: number) {
    const endedMs = performance.now()
    this.waited.push({ ...waited, ms: endedMs - beganMs - this.#stalls.within(beganMs, endedMs) })
  }
}
