/** What a code says, and the status that it comes with. */
interface RefusalCodeRow {
  status: number
  means: string
}

/**
 * Every `code` of the gateway's refusals. A code is never renamed or given another meaning. The first of each status is
 * what a refusal without a narrower one has.
 */
export const refusalCodes = {
  BAD_REQUEST: { status: 400, means: 'a value is refused by a rule; `detail` names it' },
  BAD_NUMBER: { status: 400, means: 'that number cannot be dialled' },
  UNKNOWN_FIELD: { status: 400, means: 'a body or a query has a field that is close to one that exists' },
  INVALID_KEY: { status: 401, means: 'the key is unknown, revoked or expired' },
  MISSING_KEY: { status: 401, means: 'no key was sent' },
  PAYMENT_REQUIRED: { status: 402, means: "the org's plan or credits do not cover it" },
  FORBIDDEN: { status: 403, means: 'the key may not do this' },
  MISSING_SCOPE: { status: 403, means: 'the key does not open the scope that the endpoint asks for' },
  AGENT_NOT_ALLOWED: { status: 403, means: 'the key works on other agents only' },
  STRANGER: { status: 403, means: 'the number never called or wrote, and the org may not dial strangers' },
  OPTED_OUT: { status: 403, means: 'the number is on the do-not-call list' },
  NO_CONSENT: { status: 403, means: 'nobody at the number agreed to be called' },
  QUIET_HOURS: { status: 403, means: 'it is outside the calling hours where the number is' },
  NOT_FOUND: { status: 404, means: 'there is nothing of that name, or nothing at that path' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    means: 'the path does not take that method; `Allow` has those it takes',
  },
  REQUEST_TIMEOUT: { status: 408, means: 'the request took too long to arrive' },
  CONFLICT: { status: 409, means: 'the current state does not allow it' },
  STALE_VERSION: { status: 409, means: '`if_version` is not the newest version: read it again, then set' },
  SET_IN_CODE: { status: 409, means: 'the class of the connected app declares that setting' },
  AGENT_OFFLINE: { status: 409, means: 'no app is connected for the agent' },
  NO_FROM: { status: 409, means: 'the agent has no number that can dial' },
  CALL_ENDED: { status: 409, means: 'the call is over' },
  BODY_TOO_LARGE: { status: 413, means: 'the body is larger than the endpoint takes' },
  RANGE_NOT_SATISFIABLE: { status: 416, means: '`Range` begins behind the end' },
  BAD_SHAPE: { status: 422, means: 'the body is no JSON object, or a field is missing or of another type' },
  UPGRADE_REQUIRED: { status: 426, means: 'the path is opened as a WebSocket' },
  RATE_LIMITED: {
    status: 429,
    means: 'too many at once or in a time; `Retry-After` says when, if it is known',
  },
  QUOTA_EXCEEDED: { status: 429, means: 'the org holds as much as its quota allows' },
  PER_MINUTE: { status: 429, means: 'the org dialled as often as it may in a minute' },
  PER_DAY: { status: 429, means: 'the org dialled as often as it may in a day' },
  TOO_OFTEN: { status: 429, means: 'that number was dialled as often as it may be in a day' },
  HEADERS_TOO_LARGE: { status: 431, means: 'the headers are larger than the gateway takes' },
  INTERNAL_ERROR: { status: 500, means: 'the gateway failed; its log has the cause under `X-Request-Id`' },
  UPSTREAM_ERROR: { status: 502, means: 'a vendor, a carrier or a mail server refused or did not answer' },
  UNAVAILABLE: { status: 503, means: 'it cannot be served at the moment, or not on this deployment' },
} as const satisfies Record<string, RefusalCodeRow>

export type RefusalCode = keyof typeof refusalCodes

export const refusalCodeNames = Object.keys(refusalCodes) as RefusalCode[]

const usual = new Map<number, RefusalCode>()
for (const code of refusalCodeNames) {
  const { status } = refusalCodes[code]
  if (!usual.has(status)) usual.set(status, code)
}

/** What a refusal of that status has if nothing narrower is known. */
export const usualCodeOf = (status: number): RefusalCode => usual.get(status) ?? 'INTERNAL_ERROR'

export const isRefusalCode = (code: string): code is RefusalCode => Object.hasOwn(refusalCodes, code)
