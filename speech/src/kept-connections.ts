import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'

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
  readonly #withinMs: number
  readonly #protocol: typeof http | typeof https
  readonly #agent: http.Agent

  constructor(url: string, authorization: string, withinMs: number) {
    this.#url = url
    this.#authorization = authorization
    this.#withinMs = withinMs
    this.#protocol = url.startsWith('https:') ? https : http
    this.#agent = new this.#protocol.Agent({ keepAlive: true })
  }

  /** POSTs the body, where there is one. Whoever was started anew may be asked twice. */
  async ask(path: string, body?: object): Promise<Told> {
    try {
      return await this.#ask(path, body, this.#agent)
    } catch (error) {
      if (!(error instanceof LetGo)) throw error
      return this.#ask(path, body, false)
    }
  }

  async #ask(path: string, body: object | undefined, agent: http.Agent | false): Promise<Told> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const asking = this.#protocol.request(this.#url + path, {
      method: body ? 'POST' : 'GET',
      agent,
      headers: { authorization: this.#authorization, ...(body && { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(this.#withinMs),
    })
    asking.once('response', resolve)
    asking.on('error', (error: NodeJS.ErrnoException) => {
      const isLetGo = asking.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      reject(isLetGo ? new LetGo(error.message, { cause: error }) : error)
    })
    asking.end(body && JSON.stringify(body))
    const response = await promise
    let text = ''
    for await (const piece of response.setEncoding('utf8')) text += String(piece)
    return { status: response.statusCode ?? 0, text }
  }
}
