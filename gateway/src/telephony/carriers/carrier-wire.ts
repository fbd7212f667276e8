import type { SecureContext } from 'node:tls'
import { secondMs } from '../../foundation/clock.ts'
import { Refusal } from '../../foundation/refusals.ts'

/** How long one request may take, to its last byte. */
export const wireTimeoutMs = 10 * secondMs

/** A party outside refused or did not answer. Unless a rule catches it, it is a 502 with their own sentence. */
export class WireFailure extends Refusal {
  override readonly name = 'WireFailure'
  /** The status they answered with; undefined when they did not answer. */
  readonly answered: number | undefined
  /** Their own words. */
  readonly said: string | undefined
  /** Their own number of the error, if they gave one. */
  readonly errorCode: number | undefined

  /** Whether they answered with a 4xx. */
  get isRefused() {
    return Math.floor((this.answered ?? 0) / 100) === 4
  }

  constructor(who: string, answered?: number, said?: string, errorCode?: number) {
    super(502, said === undefined ? silence(who, answered) : `${who} says: ${said}`)
    this.answered = answered
    this.said = said
    this.errorCode = errorCode
  }
}

const silence = (who: string, answered: number | undefined) =>
  answered === undefined ? `${who} did not answer` : `${who} did not answer as it should: status ${answered}`

export interface WireRequest {
  method?: 'GET' | 'POST' | 'DELETE'
  url: string
  authorization: string
  form?: Readonly<Record<string, string>>
  json?: object
  /** Never repeated, whatever the other side answers. */
  secrets: readonly string[]
}

export interface WireOptions {
  timeoutMs?: number
  /** Finds their number of the error in the body of a refusal, and the page about it. */
  errorIn?: (body: unknown) => { code?: number; page?: string }
  tls?: { secureContext?: SecureContext }
}

/** Asks one party outside, whose address the operator set. No redirect is followed: the credentials are theirs alone. */
export class Wire {
  readonly #who: string
  readonly #sentenceIn: (body: unknown) => unknown
  readonly #errorIn: NonNullable<WireOptions['errorIn']>
  readonly #timeoutMs: number
  readonly #tls: NonNullable<WireOptions['tls']>
  #agent: Promise<Agent> | undefined

  /** `sentenceIn` finds their sentence in the body of a refusal. */
  constructor(who: string, sentenceIn: (body: unknown) => unknown, options: WireOptions = {}) {
    this.#who = who
    this.#sentenceIn = sentenceIn
    this.#errorIn = options.errorIn ?? (() => ({}))
    this.#timeoutMs = options.timeoutMs ?? wireTimeoutMs
    this.#tls = options.tls ?? {}
  }

  /** The body of the answer; undefined if it has none. Throws a `WireFailure`. */
  async ask(asked: WireRequest): Promise<unknown> {
    const { status, text } = await this.#send(asked)
    const body = parsed(text)
    if (status < 200 || status > 299) throw this.#failure(asked, status, body)
    if (text !== '' && body === undefined) throw new WireFailure(this.#who, status)
    return body
  }

  async #send({ method = 'GET', url, authorization, form, json }: WireRequest) {
    try {
      const { fetch, dispatcher } = await (this.#agent ??= makeAgent(this.#tls))
      const answer = await fetch(url, {
        method,
        dispatcher,
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#timeoutMs),
        headers: {
          authorization,
          accept: 'application/json',
          ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
          ...(json && { 'content-type': 'application/json' }),
        },
        ...(form && { body: new URLSearchParams(form).toString() }),
        ...(json && { body: JSON.stringify(json) }),
      })
      return { status: answer.status, text: await answer.text() }
    } catch {
      throw new WireFailure(this.#who) // the cause names addresses and headers
    }
  }

  #failure({ secrets }: WireRequest, status: number, body: unknown) {
    const said = this.#sentenceIn(body)
    const sentence = typeof said === 'string' ? withoutSecrets(said, secrets) : ''
    const { code, page } = this.#errorIn(body)
    const about = [
      ...(code === undefined ? [] : [`code ${code}`]),
      ...(page === undefined ? [] : [`see ${page}`]),
    ]
    const whole = about.length === 0 ? sentence : `${sentence} (${withoutSecrets(about.join(', '), secrets)})`
    return new WireFailure(this.#who, status, sentence === '' ? undefined : whole, code)
  }
}

type Agent = Awaited<ReturnType<typeof makeAgent>>

async function makeAgent({ secureContext }: NonNullable<WireOptions['tls']>) {
  const { Agent, fetch } = await import('undici') // 6 MB that most gateways never need
  const dispatcher = new Agent(secureContext ? { connect: { secureContext } } : {})
  return { fetch, dispatcher }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** One line without any of the secrets that were sent. */
function withoutSecrets(said: string, secrets: readonly string[]): string {
  let line = said.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  for (const secret of secrets) if (secret !== '') line = line.replaceAll(secret, '…')
  return line.slice(0, 500)
}
