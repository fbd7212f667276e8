import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Caller } from '../../foundation/caller.ts'
import { secondMs } from '../../foundation/clock.ts'
import type { Access } from '../../http/access.ts'
import type { OpenConnection, OpenConnections } from '../../http/open-connections.ts'

const pingEveryMs = 30 * secondMs
/** A reader that took nothing between so many pings is let go, also at the end of what it was sent. */
const mostBeatsFull = 2
const ping = Buffer.from(':ping\n\n')

const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no', // a proxy in front passes every entry on at once
}

export interface Opening {
  caller: Caller
  access: Access
  /** The agent whose entries are read; null where they are of any. */
  agent: string | null
  connections: OpenConnections
  /** Told once, when it is over. */
  release: () => void
}

/** An answer that goes on: server-sent events, for as long as somebody reads them and their key opens them. */
export class EventStream implements OpenConnection {
  readonly caller: Caller
  readonly access: Access
  readonly #agent: string | null
  readonly #raw: ServerResponse
  #isOver = false
  #isFull = false
  #beatsFull = 0
  /** Told whenever the reader takes more again. */
  onDrain: () => void = () => {}
  /** Told once, when nobody reads any more. */
  onClose: () => void = () => {}

  constructor(reply: FastifyReply, { caller, access, agent, connections, release }: Opening) {
    this.caller = caller
    this.access = access
    this.#agent = agent
    this.#raw = reply.raw
    reply.hijack()
    for (const [name, value] of Object.entries(reply.headers(headers).getHeaders()))
      if (value !== undefined) this.#raw.setHeader(name, value)
    this.#isOver = this.#raw.destroyed // whoever asked may be gone by now
    if (this.#isOver) {
      release()
      return
    }
    this.#raw.flushHeaders()
    const pings = setInterval(() => this.#beat(), pingEveryMs)
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

  /** Nothing more is sent: it is at its end, or nobody reads. */
  get isOver() {
    return this.#isOver
  }

  /** The reader does not take what it was sent. */
  get isFull() {
    return this.#isFull
  }

  get unreadBytes() {
    return this.#raw.writableLength
  }

  send(frame: Buffer) {
    if (!this.#isOver && !this.#raw.write(frame)) this.#isFull = true
  }

  /** When the reader has taken what it was sent, or is gone. */
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

  /** Of an agent that the caller works on no longer, nothing more is sent. */
  stays({ agents }: Caller) {
    if (this.#agent !== null && agents.length > 0 && !agents.includes(this.#agent)) this.ends()
  }

  /** Whoever does not take what was sent is not waited for. */
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
    this.#beatsFull = 0
    this.onDrain()
  }

  #beat() {
    if (!this.#isFull && !this.#isOver) return this.send(ping)
    this.#beatsFull += 1
    if (this.#beatsFull >= mostBeatsFull) this.cutOff()
  }
}
