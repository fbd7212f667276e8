import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Caller } from '../../foundation/caller.ts'
import { secondMs } from '../../foundation/clock.ts'
import type { Access } from '../../http/access.ts'
import type { OpenConnection, OpenConnections } from '../../http/open-connections.ts'

const pingEveryMs = 30 * secondMs
/** A reader that read nothing for this many pings is disconnected. */
const mostPingsFull = 2
const ping = Buffer.from(':ping\n\n')

const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no', // a proxy in front passes every entry on at once
}

export interface EventStreamParts {
  caller: Caller
  access: Access
  /** The agent whose entries are read; null for any agent. */
  agent: string | null
  connections: OpenConnections
  /** Called once, when the stream has closed. */
  release: () => void
}

/** Server-sent events, until the reader disconnects or its key loses access. */
export class EventStream implements OpenConnection {
  readonly kind = 'event_stream'
  readonly caller: Caller
  readonly access: Access
  readonly #agent: string | null
  readonly #raw: ServerResponse
  #isOver = false
  #isFull = false
  #pingsFull = 0
  /** Called whenever the reader reads again. */
  onDrain: () => void = () => {}
  /** Called once, when the reader has disconnected. */
  onClose: () => void = () => {}

  constructor(reply: FastifyReply, { caller, access, agent, connections, release }: EventStreamParts) {
    this.caller = caller
    this.access = access
    this.#agent = agent
    this.#raw = reply.raw
    reply.hijack()
    for (const [name, value] of Object.entries(reply.headers(headers).getHeaders()))
      if (value !== undefined) this.#raw.setHeader(name, value)
    this.#isOver = this.#raw.destroyed // the reader may have disconnected by now
    if (this.#isOver) {
      release()
      return
    }
    this.#raw.flushHeaders()
    const pings = setInterval(() => this.#ping(), pingEveryMs)
    this.#raw.on('drain', () => this.#drained())
    this.#raw.once('close', () => {
      this.#isOver = true
      clearInterval(pings)
      connections.delete(this)
      release()
      this.onDrain()
      this.onClose()
    })
    connections.add(this)
  }

  /** Nothing more is sent: the stream has ended, or the reader has disconnected. */
  get isOver() {
    return this.#isOver
  }

  /** The reader has unread data. */
  get isFull() {
    return this.#isFull
  }

  get unreadBytes() {
    return this.#raw.writableLength
  }

  send(frame: Buffer) {
    if (!this.#isOver && !this.#raw.write(frame)) this.#isFull = true
  }

  /** Resolves once the reader has read everything, or has disconnected. */
  async drained() {
    while (this.#isFull && !this.#isOver)
      await new Promise<void>((drained) => {
        this.onDrain = drained
      })
  }

  /** After everything that was sent. */
  end() {
    if (!this.#isOver) this.#raw.end()
    this.#isOver = true
  }

  cutOff() {
    this.#isOver = true
    this.#raw.destroy()
  }

  /** Ends the stream of an agent that the caller may no longer read. */
  stays({ agents }: Caller) {
    if (this.#agent !== null && agents.length > 0 && !agents.includes(this.#agent)) this.ends()
  }

  /** A slow reader is cut off. */
  ends() {
    if (this.#isFull) this.cutOff()
    else this.end()
  }

  async leaves() {
    if (this.#raw.closed) return
    const closed = new Promise((resolve) => this.#raw.once('close', resolve))
    this.ends()
    await closed
  }

  #drained() {
    this.#isFull = false
    this.#pingsFull = 0
    this.onDrain()
  }

  #ping() {
    if (!this.#isFull && !this.#isOver) return this.send(ping)
    this.#pingsFull += 1
    if (this.#pingsFull >= mostPingsFull) this.cutOff()
  }
}
