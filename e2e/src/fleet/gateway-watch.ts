import { setTimeout as pause } from 'node:timers/promises'
import type { MortalGateway } from './mortals.ts'

interface Seen {
  what: string
  status: number
  retryAfter: string | null
  atMs: number
}

/** Asks one gateway to read and to write, again and again, and keeps what it answers. */
export class GatewayWatch {
  readonly #gateway: MortalGateway
  readonly #key: string
  readonly #call: string
  readonly #seen: Seen[] = []
  #batch = 0

  constructor(gateway: MortalGateway, key: string, call: string) {
    this.#gateway = gateway
    this.#key = key
    this.#call = call
  }

  async watch(isOver: () => boolean) {
    while (!isOver()) {
      await this.#ask('reads', 'GET', '/v1/whoami')
      await this.#append([])
      await pause(100)
    }
    while ((await this.#append([{ type: 'call.ended', data: { reason: 'hangup' } }])) !== 200)
      await pause(100)
  }

  /** What is neither done nor refused with how long to wait. */
  get wrong(): Seen[] {
    return this.#seen.filter(({ status, retryAfter }) => status !== 200 && (status !== 503 || !retryAfter))
  }

  get refusals(): number {
    return this.#seen.filter(({ status }) => status === 503).length
  }

  /** Whether it has read and written since. */
  servedSince(sinceMs: number): boolean {
    return ['reads', 'writes'].every((wanted) =>
      this.#seen.some(({ what, status, atMs }) => what === wanted && status === 200 && atMs > sinceMs),
    )
  }

  get texts(): string[] {
    return Array.from({ length: this.#batch - 1 }, (_, at) => `batch ${at + 1}`)
  }

  async #append(more: object[]): Promise<number> {
    const batch = this.#batch + 1
    const data = { text: `batch ${batch}`, messageId: `m_${this.#call}_${batch}` }
    const entries = more.length > 0 ? more : [{ type: 'agent.message', data }]
    const body = { entries, batch }
    const status = await this.#ask('writes', 'POST', `/v1/calls/${this.#call}/events`, body)
    if (status === 200) this.#batch = batch
    return status
  }

  async #ask(what: string, method: string, path: string, body?: object): Promise<number> {
    const response = await fetch(this.#gateway.url + path, {
      method,
      headers: { authorization: `Bearer ${this.#key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    await response.text()
    const { status, headers } = response
    this.#seen.push({ what, status, retryAfter: headers.get('retry-after'), atMs: performance.now() })
    return status
  }
}
