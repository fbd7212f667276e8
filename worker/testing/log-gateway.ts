import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { AppendEntries } from '@switchroom/contract/log'

/** What a gateway takes of a call's log, as a worker sees it on the wire. */
export class LogGateway {
  /** Every request with a body, in order. */
  readonly sent: AppendEntries[] = []
  /** How the next requests are answered; 200 if there is none. */
  readonly answers: ((request: IncomingMessage, response: ServerResponse) => void)[] = []
  url = ''
  readonly #server = createServer((request, response) => void this.#take(request, response))

  async start(t: TestContext): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    t.after(() => {
      this.#server.closeAllConnections()
      this.#server.close()
    })
    return this
  }

  /** The types of the entries, as they were sent, each once. */
  get types(): string[] {
    return this.sent.flatMap(({ entries }) => entries.map(({ type }) => type))
  }

  async #take(request: IncomingMessage, response: ServerResponse) {
    const body = Buffer.concat(await request.toArray()).toString()
    this.sent.push(JSON.parse(body) as AppendEntries)
    const answer = this.answers.shift()
    if (answer) answer(request, response)
    else response.end(JSON.stringify({ seq: this.sent.length }))
  }
}
