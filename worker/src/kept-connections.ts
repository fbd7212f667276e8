import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export interface Asked {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  body?: object
  headers?: Record<string, string>
  withinMs: number
  signal?: AbortSignal
}

/** An answer, whole. */
export interface Told {
  status: number
  text: string
}

/** The other side had let go of a connection that was kept. */
class LetGo extends Error {}

/** Questions and answers in JSON. `fetch` would take three times as much of the CPU for each. */
export class KeptConnections {
  readonly #url: string
  readonly #authorization: string
  readonly #protocol: typeof http | typeof https
  readonly #agent: http.Agent

  constructor(url: string, authorization: string) {
    this.#url = url
    this.#authorization = authorization
    this.#protocol = url.startsWith('https:') ? https : http
    this.#agent = new this.#protocol.Agent({ keepAlive: true })
  }

  /** Whoever was started anew may be asked twice. */
  async ask(asked: Asked): Promise<Told> {
    try {
      return await this.#ask(asked, this.#agent)
    } catch (error) {
      if (!(error instanceof LetGo)) throw error
      return this.#ask(asked, false)
    }
  }

  async upload(path: string, file: Readable, type: string, withinMs: number): Promise<Told> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const asking = this.#protocol.request(this.#url + path, {
      method: 'PUT',
      agent: false,
      headers: { authorization: this.#authorization, 'content-type': type },
      signal: AbortSignal.timeout(withinMs),
    })
    asking.once('response', resolve)
    asking.on('error', reject)
    // who refuses may close before it has read everything
    void pipeline(file, asking).catch(reject)
    return textOf(await promise)
  }

  async #ask(asked: Asked, agent: http.Agent | false): Promise<Told> {
    const { method, path, body, headers, withinMs, signal } = asked
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const late = AbortSignal.timeout(withinMs)
    const asking = this.#protocol.request(this.#url + path, {
      method,
      agent,
      headers: {
        authorization: this.#authorization,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      signal: signal ? AbortSignal.any([signal, late]) : late,
    })
    asking.once('response', resolve)
    asking.on('error', (error: NodeJS.ErrnoException) => {
      const isLetGo = asking.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      reject(isLetGo ? new LetGo(error.message, { cause: error }) : error)
    })
    asking.end(body && JSON.stringify(body))
    return textOf(await promise)
  }
}

async function textOf(answer: IncomingMessage): Promise<Told> {
  let text = ''
  for await (const piece of answer.setEncoding('utf8')) text += String(piece)
  return { status: answer.statusCode ?? 0, text }
}
