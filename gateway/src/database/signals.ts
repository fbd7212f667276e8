import type { Logger } from 'pino'

/** What PostgreSQL carries in one notification is shorter than 8000 bytes. */
export const longestSignal = 7900

export type Hear = (payload: string) => void

/**
 * Short notices on named channels to all gateways that listen at that moment, the one that sends included. A notice may
 * be lost: what acts on one also looks now and then without it.
 */
export interface Signals {
  /** Before the start. `onMissed` is called when notices were probably lost. */
  on(channel: string, hear: Hear, onMissed?: () => void): void
  /** At once and without an answer; what a transaction changed is announced after its commit. */
  send(channel: string, payload?: string): void
  start(): Promise<void>
  /** Why notices are lost now, for the operator; undefined if all is well. */
  readonly whyDegraded: string | undefined
  /** Once the notices under way are sent. */
  stop(): Promise<void>
}

/** A hearer that fails on a notice must not fail the connection that brought it. */
export function tell(logger: Logger, hear: Hear | undefined, channel: string, payload: string) {
  try {
    hear?.(payload)
  } catch (error) {
    logger.warn({ err: error, channel }, 'a notice of another gateway could not be used')
  }
}
