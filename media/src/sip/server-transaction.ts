import type { Flow } from './flow.ts'
import { type Headers, reasons, type SipRequest, writeMessage } from './message.ts'
import { giveUpMs, Repeating, type Timing } from './timing.ts'

export interface Answer {
  reason?: string
  /** Ours, if the request has none of us yet. */
  tag?: string
  headers?: Headers
  body?: string
}

/** Where answers to a request go (RFC 3261 18.2.2, RFC 3581). */
export const answeringFlow = ({ via }: SipRequest, flow: Flow): Flow =>
  flow.isReliable || via.params.has('rport') ? flow : flow.at(via.port ?? 5060)

export function writeAnswer(request: SipRequest, flow: Flow, status: number, answer: Answer): Buffer {
  const copied = new Set([
    'via',
    'from',
    'to',
    'call-id',
    'cseq',
    ...(status > 100 && status < 300 ? ['record-route'] : []),
  ])
  let isTop = true
  const headers = request.headers
    .filter(([name]) => copied.has(name))
    .map(([name, value]): [string, string] => {
      if (name === 'to' && answer.tag && !request.to.tag) return [name, `${value};tag=${answer.tag}`]
      if (name !== 'via' || !isTop) return [name, value]
      isTop = false
      return [name, reached(value, request, flow)]
    })
  const reason = answer.reason ?? reasons[status] ?? 'Answer'
  return writeMessage(`SIP/2.0 ${status} ${reason}`, [...headers, ...(answer.headers ?? [])], answer.body)
}

/** The topmost Via, with the address that the request really came from. */
function reached(value: string, { via }: SipRequest, flow: Flow): string {
  const kept = value.replaceAll(/;\s*(received|rport)\s*(=[^;]*)?(?=;|$)/gi, '')
  const port = via.params.has('rport') ? `;rport=${flow.port}` : ''
  return port !== '' || via.host !== flow.address ? `${kept};received=${flow.address}${port}` : kept
}

export interface ServerTransactionEnds {
  onFinal: (status: number) => void
  onOver: () => void
}

/** One request that came in, until it is answered for good. */
export class ServerTransaction {
  readonly request: SipRequest
  readonly flow: Flow
  readonly #timing: Timing
  readonly #ends: ServerTransactionEnds
  #last: Buffer | null = null
  #status = 0
  #repeating: Repeating | null = null
  #over: NodeJS.Timeout | undefined
  #onUnacknowledged: (() => void) | null = null

  constructor(request: SipRequest, flow: Flow, timing: Timing, ends: ServerTransactionEnds) {
    this.request = request
    this.flow = flow
    this.#timing = timing
    this.#ends = ends
  }

  get isAnswered(): boolean {
    return this.#status >= 200
  }

  /** Nothing when it is answered already. */
  answer(status: number, answer: Answer = {}): void {
    if (this.isAnswered) return
    this.#status = status
    this.#last = writeAnswer(this.request, this.flow, status, answer)
    this.#send()
    if (status < 200) return
    this.#ends.onFinal(status)
    const isInvite = this.request.method === 'INVITE'
    if (isInvite && (status < 300 || !this.flow.isReliable))
      this.#repeating = new Repeating(this.#timing.t1Ms, this.#timing.t2Ms, () => this.#send())
    if (!isInvite && this.flow.isReliable) this.end()
    else this.#endIn(giveUpMs(this.#timing))
  }

  /** When no ACK came for a 2xx in time. */
  onUnacknowledged(listener: () => void): void {
    this.#onUnacknowledged = listener
  }

  /** Sends the last answer again. */
  repeat(): void {
    this.#send()
  }

  /** The same request came again, or the acknowledgement of a refusal. */
  receive(request: SipRequest): void {
    if (request.method === 'ACK') this.acknowledge()
    else if (this.#status < 200 || this.#status >= 300 || this.#repeating || request.method !== 'INVITE')
      this.#send()
  }

  /** The answer arrived: it is not sent again, though what was still on its way is taken in. */
  acknowledge(): void {
    if (!this.isAnswered) return
    this.#repeating?.stop()
    this.#repeating = null
    this.#onUnacknowledged = null
    if (this.#status >= 300) this.#endIn(this.flow.isReliable ? 0 : this.#timing.t4Ms)
  }

  end(): void {
    clearTimeout(this.#over)
    this.#repeating?.stop()
    this.#ends.onOver()
  }

  #endIn(ms: number): void {
    clearTimeout(this.#over)
    this.#over = setTimeout(() => {
      const tell = this.#onUnacknowledged
      this.end()
      tell?.()
    }, ms)
  }

  #send(): void {
    if (this.#last) answeringFlow(this.request, this.flow).send(this.#last)
  }
}
