import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { Entry } from '@switchroom/contract/log'

interface Refusal {
  status: number
  body: string
}

/** A call's log behind HTTP, as the gateway serves it: a page, or a stream that grows. */
export class FakeLog {
  readonly entries: Entry[] = []
  /** The `last-event-id` of every stream that was asked for. */
  readonly cursors: (string | undefined)[] = []
  /** The answers to the next requests, in place of the log. */
  readonly refusals: Refusal[] = []
  requests = 0
  readonly #readers = new Set<ServerResponse>()
  readonly #server: Server = createServer((request, response) => this.#serve(request, response))

  static async start(t: TestContext): Promise<FakeLog> {
    const log = new FakeLog()
    log.#server.listen(0, '127.0.0.1')
    await once(log.#server, 'listening')
    t.after(() => {
      log.#server.closeAllConnections()
      log.#server.close()
    })
    return log
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get readers(): number {
    return this.#readers.size
  }

  append(...types: string[]): void {
    for (const type of types) {
      const entry = { ...stamp, seq: this.entries.length + 1, type, ephemeral: false, data: {} }
      this.entries.push(entry)
      for (const reader of this.#readers) reader.write(frameOf(entry))
      if (type === 'call.ended') for (const reader of this.#readers) reader.end()
    }
  }

  /** Live only: it has no id. */
  show(type: string): void {
    const entry = { ...stamp, seq: this.entries.length, type, ephemeral: true, data: {} }
    for (const reader of this.#readers) reader.write(`event: ${type}\ndata: ${JSON.stringify(entry)}\n\n`)
  }

  /** Breaks every connection, with half an entry on its way to each reader. */
  cut(): void {
    for (const reader of this.#readers) reader.write('id: 99\nevent: user.mess', () => reader.destroy())
    this.#readers.clear()
  }

  /** Sends an entry again that the reader has. */
  repeat(seq: number): void {
    const entry = this.entries[seq - 1]
    if (entry) for (const reader of this.#readers) reader.write(frameOf(entry))
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    this.requests += 1
    const refusal = this.refusals.shift()
    if (refusal) {
      response.writeHead(refusal.status).end(refusal.body)
      return
    }
    const isStream = request.headers.accept === 'text/event-stream'
    const query = new URL(request.url ?? '/', this.url).searchParams
    const cursor = request.headers['last-event-id']?.toString()
    const after = Number(cursor ?? query.get('after') ?? 0)
    const missed = this.entries.filter(({ seq }) => seq > after)
    const ended = this.entries.at(-1)?.type === 'call.ended'
    if (!isStream) {
      response.end(JSON.stringify({ entries: missed.slice(0, 1), next: after, gap: null, ended }))
      return
    }
    this.cursors.push(cursor)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const entry of missed) response.write(frameOf(entry))
    response.write('event: log.caught_up\ndata: {"type":"log.caught_up","seq":1}\n\n')
    if (ended) return void response.end()
    this.#readers.add(response)
    response.once('close', () => this.#readers.delete(response))
  }
}

const stamp = { ts: 1_790_000_000, call: 'call_1', agent: 'hello' }

const frameOf = (entry: Entry) => `id: ${entry.seq}\nevent: ${entry.type}\ndata: ${JSON.stringify(entry)}\n\n`
