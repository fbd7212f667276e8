import type { RefusalCode } from '@switchroom/contract/refusal-codes'

/** A refusal that the caller may read: a status and one sentence that says what to do. */
export class Refusal extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** For listeners that answer with codes, if the status alone does not say which. */
  readonly code: string | undefined
  /** The gateway's own code, if the status alone does not say which. */
  apiCode: RefusalCode | undefined

  constructor(status: number, sentence: string, headers: Record<string, string> = {}, code?: string) {
    super(sentence)
    this.status = status
    this.headers = headers
    this.code = code
  }

  /** The same refusal with a narrower code than its status has. */
  as(code: RefusalCode): this {
    this.apiCode = code
    return this
  }
}

export const badRequest = (sentence: string) => new Refusal(400, sentence)
export const unauthorized = (sentence: string, code?: string) =>
  new Refusal(401, sentence, { 'www-authenticate': 'Bearer' }, code)
export const forbidden = (sentence: string) => new Refusal(403, sentence)
export const notFound = (sentence: string) => new Refusal(404, sentence)
export const conflict = (sentence: string) => new Refusal(409, sentence)
export const paymentRequired = (sentence: string) => new Refusal(402, sentence)
export const unprocessable = (sentence: string) => new Refusal(422, sentence)
export const badGateway = (sentence: string) => new Refusal(502, sentence)

const retryAfter = (seconds: number | undefined): Record<string, string> =>
  seconds === undefined ? {} : { 'retry-after': String(seconds) }

export const unavailable = (sentence: string, retryAfterS?: number) =>
  new Refusal(503, sentence, retryAfter(retryAfterS))

export const tooMany = (sentence: string, retryAfterS?: number) =>
  new Refusal(429, sentence, retryAfter(retryAfterS))

/** Lists inside sentences read `a · b`. */
export const listed = (items: readonly string[]) => items.join(' · ')
