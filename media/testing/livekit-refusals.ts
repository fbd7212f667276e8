import { SIPStatusCode } from '@livekit/protocol'

/** A refusal on the wire of LiveKit: a word, a sentence, and what else it says of it. */
export class Refusal extends Error {
  readonly code: string
  readonly meta: Record<string, string> | undefined

  constructor(code: string, sentence: string, meta?: Record<string, string>) {
    super(sentence)
    this.code = code
    this.meta = meta
  }
}

const statuses: Record<string, number> = {
  canceled: 408,
  invalid_argument: 400,
  deadline_exceeded: 408,
  not_found: 404,
  bad_route: 404,
  already_exists: 409,
  permission_denied: 403,
  unauthenticated: 401,
  resource_exhausted: 429,
  failed_precondition: 412,
  aborted: 409,
  unavailable: 503,
}

export const statusOf = (code: string): number => statuses[code] ?? 500

/** What the server calls a SIP answer; the rest it calls a failed precondition. */
const codes: Record<number, string> = {
  403: 'permission_denied',
  404: 'not_found',
  408: 'deadline_exceeded',
  480: 'resource_exhausted',
  486: 'resource_exhausted',
  487: 'aborted',
  600: 'resource_exhausted',
  603: 'permission_denied',
}

/** As of a far end that gave no reason. */
export function sipRefusal(status: number): Refusal {
  const name = SIPStatusCode[status] ?? String(status)
  const meta = { sip_status_code: String(status), sip_status: name }
  return new Refusal(codes[status] ?? 'failed_precondition', `sip status: ${status} (${name})`, meta)
}
