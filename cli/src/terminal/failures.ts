import { SwitchroomError } from '@switchroom/sdk/errors'
import { GatewayRefusal } from '@switchroom/sdk/gateway-refusal'
import { exitCodes } from './exit-codes.ts'

/** Ends the command: one sentence for people, one exit status for scripts. */
export class Failure extends Error {
  readonly exitCode: number
  /** The HTTP status, if the gateway or the voice server answered. */
  readonly status: number | undefined
  /** For programs: the code of their refusal, else why the command ended. */
  readonly code: string

  constructor(exitCode: number, sentence: string, refusal: { status?: number; code?: string } = {}) {
    super(sentence)
    this.exitCode = exitCode
    this.status = refusal.status
    this.code = refusal.code ?? codeOfExit[exitCode] ?? 'FAILED'
  }

  /** What `--json` prints on standard error. */
  toJSON(): { code: string; detail: string; status: number | null } {
    return { code: this.code, detail: this.message, status: this.status ?? null }
  }
}

const codeOfExit: Readonly<Record<number, string>> = {
  [exitCodes.refused]: 'FAILED',
  [exitCodes.usage]: 'USAGE',
  [exitCodes.notSignedIn]: 'NOT_SIGNED_IN',
  [exitCodes.unreachable]: 'UNREACHABLE',
  [exitCodes.interrupted]: 'INTERRUPTED',
}

export const wrongUsage = (sentence: string) => new Failure(exitCodes.usage, sentence)

export const notSignedIn = (url: string) =>
  new Failure(exitCodes.notSignedIn, `you are not signed in at ${url}: run svc login`)

export const interrupted = () => new Failure(exitCodes.interrupted, '')

export const unreachable = (what: string, url: string, cause: unknown) =>
  new Failure(
    exitCodes.unreachable,
    `the ${what} at ${url} cannot be reached (${reasonOf(cause)}): check its address and that it is running`,
  )

/** A revoked key counts as not signed in. */
export function refused(status: number, sentence: string, code = `HTTP_${status}`): Failure {
  if (status === 401)
    return new Failure(exitCodes.notSignedIn, `${sentence}: run svc login`, { status, code })
  return new Failure(exitCodes.refused, sentence, { status, code })
}

/** An error of the SDK as the failure of a command; undefined for any other error. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error
  if (error instanceof GatewayRefusal) return refused(error.status, error.detail, error.code)
  if (!(error instanceof SwitchroomError)) return undefined
  return new Failure(exitCodes.refused, error.detail, { code: error.code })
}

/** The cause of a failed fetch: its own message says only that it failed. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0])
  if (!(cause instanceof Error)) return String(cause)
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  return cause.message || code || cause.name
}
