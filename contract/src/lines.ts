import type { Call } from './log.ts'

// A phone line: an app takes the calls of a number before any agent does, and hands each over by `call.route`.
// App to gateway: `RegisterLine` and `RouteCall` of call-frames.ts. While a line owns a call, the events of the call
// reach the line's app as any `EventFrame`.

/** Gateway to app: from now on calls to this number come to this app first. */
export interface LineReady {
  type: 'ready'
  number: string
  /** How long digits after the number are taken for an extension. */
  extensionMs: number
}

export const lineErrorCodes = [
  'LINE_CONFLICT',
  'LINE_CONFIG_ERROR',
  'PHONE_NOT_IN_ORG',
  'UNAUTHORIZED',
] as const
export type LineErrorCode = (typeof lineErrorCodes)[number]

/** Gateway to app: the line was not registered, and the socket stays open. */
export interface LineError {
  type: 'error'
  agent: null
  /** As the frame named it; null if it named none. */
  number: string | null
  code: LineErrorCode
  /** One sentence a person can act on. */
  detail: string
}

/** Gateway to app: a call reached the line and its extension window has closed. */
export interface LineCall {
  type: 'call'
  agent: string
  /** The call's id. */
  call: string
  data: { line: string; call: Call }
}

/** Gateway to app: the call was on the line before this socket had it, and is this app's now. */
export interface LineCallPassed {
  type: 'call.passed'
  line: string
  agent: string
  call: string
  data: { line: string; call: Call }
}

/** Gateway to the line's app: the agent drives the call now, on the same audio. */
export interface CallRouted {
  type: 'call.routed'
  /** The line's number: distinguishes it from the same event at the agent's app. */
  line: string
  agent: string
  call: string
  data: { callId: string; agent: string }
}

/** Gateway to the line's app: the call left the line and continues. */
export interface LineCallEnded {
  type: 'call.ended'
  line: string
  agent: string
  call: string
  data: { call: Call; reason: 'routed' }
}

export const routeFailures = ['offline', 'unknown', 'no_phone_config', 'capacity', 'swap_failed'] as const
export type RouteFailure = (typeof routeFailures)[number]

/** Gateway to the line's app: the call stays with the line as it was. */
export interface RouteFailed {
  type: 'call.route_failed'
  line: string
  agent: string
  call: string
  data: { callId: string; agent: string; reason: RouteFailure }
}
