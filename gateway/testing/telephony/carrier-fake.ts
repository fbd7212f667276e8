import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CarrierAccountFake, type TermsFake } from './carrier-fake-account.ts'
import { answerOf } from './carrier-fake-api.ts'
import { CarrierRefusal, type CarrierRequest } from './carrier-fake-wire.ts'

/** What the test wants of a request: the carrier's own error, no answer at all, or an answer of any kind. */
export type CarrierFault =
  | { status: number; message?: string; code?: number }
  | { status: number; body: string; headers?: Record<string, string> }
  | 'hangs'
  | 'breaks'

const pageAbout = (code: number) => `https://www.twilio.com/docs/errors/${code}`

/** A sentence of the carrier as the gateway repeats it, with its code and the page about it. */
export const saidWith = (sentence: string, code = 20500) =>
  `${sentence} (code ${code}, see ${pageAbout(code)})`

/** The carrier's REST API on loopback, with the state and the refusals of the real one. */
export class CarrierFake {
  /** Every request, the refused ones too. */
  readonly requests: CarrierRequest[] = []
  readonly accounts = new Map<string, CarrierAccountFake>()
  /** Numbers for sale, by country; the search answers those whose national part begins with the area code. */
  readonly forSale = new Map<string, string[]>()
  readonly terms = new Map<string, Partial<TermsFake>>()
  readonly regulated = new Set<string>()
  /** Asked of every request before the carrier looks at it. */
  fault: (request: CarrierRequest) => CarrierFault | undefined = () => undefined
  /** The most items of one page, whatever is asked for. */
  longestPage = 1000
  #writesLeft = Infinity
  readonly #server = createServer((request, response) => void this.#answer(request, response))

  static async start(): Promise<CarrierFake> {
    const fake = new CarrierFake()
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve))
    return fake
  }

  get url() {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The settings that lead a gateway here. */
  get settings() {
    return { SVC_APICARRIER_API: this.url }
  }

  /** A new account with these numbers. */
  account(...numbers: string[]): CarrierAccountFake {
    const account = new CarrierAccountFake()
    this.accounts.set(account.sid, account)
    for (const number of numbers) account.addNumber(number)
    return account
  }

  /** Requests that change something, as `POST /v1/Trunks`. */
  get writes(): string[] {
    return this.requests
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => `${method} ${path}`)
  }

  /** Does so many more writes; the answer of the last is lost, and everything after it, until `revive`. */
  dieAfter(writes: number) {
    this.#writesLeft = writes
  }

  revive() {
    this.#writesLeft = Infinity
  }

  async stop() {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse) {
    const body = Buffer.concat(await incoming.on('error', () => {}).toArray()).toString()
    const url = new URL(incoming.url ?? '/', this.url)
    const pair = Buffer.from(
      incoming.headers.authorization?.replace(/^Basic /, '') ?? '',
      'base64',
    ).toString()
    const [user = '', ...secret] = pair.split(':')
    const request: CarrierRequest = {
      method: incoming.method ?? 'GET',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      form: Object.fromEntries(new URLSearchParams(body)),
      contentType: incoming.headers['content-type'] ?? '',
      user,
      secret: secret.join(':'),
    }
    this.requests.push(request)
    const isDead = this.#writesLeft <= 0
    const fault = isDead ? 'breaks' : this.fault(request)
    if (fault === 'breaks') response.destroy()
    else if (fault === undefined) this.#carryOut(request, response)
    else if (fault !== 'hangs') this.#refuse(response, fault)
  }

  #carryOut(request: CarrierRequest, response: ServerResponse) {
    try {
      const [status, answer] = answerOf(this, request)
      const isLast = request.method !== 'GET' && (this.#writesLeft -= 1) <= 0
      if (isLast) response.destroy()
      else response.writeHead(status, { 'content-type': 'application/json' })
      response.end(answer === undefined ? '' : JSON.stringify(answer))
    } catch (error) {
      if (!(error instanceof CarrierRefusal)) throw error
      this.#refuse(response, error)
    }
  }

  #refuse(response: ServerResponse, fault: Exclude<CarrierFault, string> | CarrierRefusal) {
    const { status } = fault
    if ('body' in fault) {
      response.writeHead(status, fault.headers ?? {})
      response.end(fault.body)
      return
    }
    const { message = 'Internal Server Error', code = 20500 } = fault
    const more_info = pageAbout(code)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ code, message, more_info, status }))
  }
}
