import { minuteMs, secondMs } from './clock.ts'
import { port, secondsAsMs, wholeNumber } from './setting-parsing.ts'
import type { Read } from './telephony-settings.ts'

/** How long a client may take to send a request, and how many connections a listener takes. */
export interface ConnectionLimits {
  headersTimeoutMs: number
  requestTimeoutMs: number
  /** In each stretch of this length a body that is not whole brings some KiB, or its connection is closed. */
  bodyStallMs: number
  mostConnections: number
  mostConnectionsPerAddress: number
}

/** What strangers and orgs may use of the deployment, and where its metrics are. */
export interface LimitSettings {
  /** Sign-ins, pairings, sign-ups, resets and the like that one client place may try in a minute. */
  signInTriesPerPlace: number
  /** Passwords that may wait to be hashed or verified by one gateway. */
  passwordQueue: number
  lettersPerOrg: number
  lettersPerRecipient: number
  connections: ConnectionLimits
  metricsHost: string
  metricsPort: number
  /** Whether the operator chose the port: one that was not chosen may be taken by another gateway. */
  isMetricsPortSet: boolean
}

export function readLimitSettings(read: Read): LimitSettings {
  const metricsPort = read('SVC_METRICS_PORT', port)
  return {
    signInTriesPerPlace: read('SVC_SIGN_IN_TRIES_PER_PLACE', wholeNumber) ?? 30,
    passwordQueue: read('SVC_PASSWORD_QUEUE', wholeNumber) ?? 100,
    lettersPerOrg: read('SVC_LETTERS_PER_ORG', wholeNumber) ?? 500,
    lettersPerRecipient: read('SVC_LETTERS_PER_RECIPIENT', wholeNumber) ?? 10,
    connections: {
      headersTimeoutMs: read('SVC_HEADERS_TIMEOUT_S', secondsAsMs) ?? 10 * secondMs,
      requestTimeoutMs: read('SVC_REQUEST_TIMEOUT_S', secondsAsMs) ?? 10 * minuteMs,
      bodyStallMs: read('SVC_BODY_STALL_S', secondsAsMs) ?? 10 * secondMs,
      mostConnections: read('SVC_MAX_CONNECTIONS', wholeNumber) ?? 10_000,
      mostConnectionsPerAddress: read('SVC_MAX_CONNECTIONS_PER_ADDRESS', wholeNumber) ?? 1000,
    },
    metricsHost: read('SVC_METRICS_HOST', String) ?? '127.0.0.1',
    metricsPort: metricsPort ?? 8083,
    isMetricsPortSet: metricsPort !== undefined,
  }
}
