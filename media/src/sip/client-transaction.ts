import type { Flow } from './flow.ts'
import { header, type Headers, type SipResponse, writeRequest } from './message.ts'
import { giveUpMs, Repeating, type Timing } from './timing.ts'

/** A request before it has a Via. */
export interface OutgoingRequest {
  method: string
  uri: string
  headers: Headers
  body: string
}

export interface ClientTransactionParts {
  request: OutgoingRequest
  via: string
  flow: Flow
  timing: Timing
  onResponse: (response: SipResponse | null) => void
  /** Once, before the response is handed on; null is that none came. */
  onFinal: (status: number | null) => void
  onOver: () => void
}

/** One request that went out. It hands on every answer; null is that none came. */
export class ClientTransaction {
  readonly #request: OutgoingRequest
  readonly #via: string
  readonly #flow: Flow
  readonly #timing: Timing
  readonly #onResponse: (response: SipResponse | null) => void
  readonly #onFinal: (status: number | null) => void
  readonly #onOver: () => void
  #repeating: Repeating | null = null
  #over: NodeJS.Timeout | undefined
  #status = 0
  #acknowledgement: Buffer | null = null
  readonly #unwatch: () => void

  constructor({ request, via, flow, timing, onResponse, onFinal, onOver }: ClientTransactionParts) {
    this.#request = request
    this.#via = via
    this.#flow = flow
    this.#timing = timing
    this.#onResponse = onResponse
    this.#onFinal = onFinal
    this.#onOver = onOver
    const bytes = writeRequest(request.method, request.uri, [['via', via], ...request.headers], request.body)
    flow.send(bytes)
    if (!flow.isReliable) {
      const mostMs = this.#isInvite ? Number.POSITIVE_INFINITY : timing.t2Ms
      this.#repeating = new Repeating(timing.t1Ms, mostMs, () => flow.send(bytes))
    }
    this.#over = setTimeout(() => this.#giveUp(), flow.isOpen ? giveUpMs(timing) : 0)
    // What rings may still answer over a connection of its own.
    this.#unwatch = flow.onClosed(() => {
      if (this.#status === 0) this.#giveUp()
    })
  }

  get #isInvite(): boolean {
    return this.#request.method === 'INVITE'
  }

  get isFinal(): boolean {
    return this.#status >= 200
  }

  receive(response: SipResponse): void {
    const { status } = response
    if (this.isFinal) {
      if (status >= 200 && status < 300 && this.#isInvite) this.#onResponse(response)
      else if (status >= 300 && this.#acknowledgement) this.#flow.send(this.#acknowledgement)
      return
    }
    this.#status = status
    if (status < 200) {
      if (this.#isInvite) {
        this.#repeating?.stop()
        // It may ring until the code that dialled gives up.
        clearTimeout(this.#over)
      }
    } else {
      this.#onFinal(status)
      this.#repeating?.stop()
      clearTimeout(this.#over)
      if (this.#isInvite && status >= 300) this.#acknowledge(response)
      const lingerMs = this.#isInvite ? giveUpMs(this.#timing) : this.#flow.isReliable ? 0 : this.#timing.t4Ms
      this.#over = setTimeout(() => this.end(), lingerMs)
    }
    this.#onResponse(response)
  }

  /** A request that goes the same way under the same branch: CANCEL. */
  sibling(method: string): OutgoingRequest {
    const copied = this.#request.headers.filter(([name]) =>
      ['from', 'to', 'call-id', 'route', 'max-forwards'].includes(name),
    )
    const number = header(this.#request, 'cseq')?.split(' ')[0]
    return { method, uri: this.#request.uri, headers: [...copied, ['cseq', `${number} ${method}`]], body: '' }
  }

  get via(): string {
    return this.#via
  }

  /** Gives up soon when no final answer comes. */
  limit(): void {
    if (this.isFinal) return
    clearTimeout(this.#over)
    this.#over = setTimeout(() => this.#giveUp(), giveUpMs(this.#timing))
  }

  end(): void {
    clearTimeout(this.#over)
    this.#repeating?.stop()
    this.#unwatch()
    this.#onOver()
  }

  /** It is not needed any more. */
  abandon(): void {
    if (this.isFinal) this.end()
    else this.#giveUp()
  }

  #giveUp(): void {
    this.#status = 408
    this.#onFinal(null)
    this.end()
    this.#onResponse(null)
  }

  #acknowledge(response: SipResponse): void {
    const ack = this.sibling('ACK')
    const to = header(response, 'to') ?? ''
    const headers = ack.headers.map(([name, value]): [string, string] => [name, name === 'to' ? to : value])
    this.#acknowledgement = writeRequest('ACK', ack.uri, [['via', this.#via], ...headers])
    this.#flow.send(this.#acknowledgement)
  }
}
