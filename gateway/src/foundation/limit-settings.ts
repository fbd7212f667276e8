import { readConnectionLimits, type ConnectionLimits } from '@switchroom/process/connection-limits'
import { port, positiveNumber, wholeNumber } from '@switchroom/process/setting-parsing'
import type { ReadSetting } from '@switchroom/process/setting-reader'

/** Limits for clients and orgs, and the address of the metrics. */
export interface LimitSettings {
  /** Sign-ins, pairings, sign-ups, resets and the like that one client address may try in a minute. */
  signInTriesPerAddress: number
  /** Passwords that may wait to be hashed or verified by one gateway. */
  passwordQueue: number
  /** Searches and other requests that may take long, of one org at once at one gateway. */
  slowRequestsPerOrg: number
  lettersPerOrg: number
  lettersPerRecipient: number
  connections: ConnectionLimits
  metricsHost: string
  metricsPort: number
  /** Whether the operator set the port: a default port may be taken by another gateway. */
  isMetricsPortSet: boolean
}

export function readLimitSettings(read: ReadSetting): LimitSettings {
  const metricsPort = read('SVC_METRICS_PORT', port)
  return {
    signInTriesPerAddress: read('SVC_SIGN_IN_TRIES_PER_PLACE', wholeNumber) ?? 30,
    passwordQueue: read('SVC_PASSWORD_QUEUE', wholeNumber) ?? 100,
    slowRequestsPerOrg: read('SVC_SLOW_REQUESTS_PER_ORG', positiveNumber) ?? 3,
    lettersPerOrg: read('SVC_LETTERS_PER_ORG', wholeNumber) ?? 500,
    lettersPerRecipient: read('SVC_LETTERS_PER_RECIPIENT', wholeNumber) ?? 10,
    connections: readConnectionLimits(read),
    metricsHost: read('SVC_METRICS_HOST', String) ?? '127.0.0.1',
    metricsPort: metricsPort ?? 8083,
    isMetricsPortSet: metricsPort !== undefined,
  }
}
