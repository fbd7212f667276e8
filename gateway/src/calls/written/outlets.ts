import type { Entry } from '@switchroom/contract/log'
import type { WrittenCallRecord } from './written-calls.store.ts'

/** Delivers what the agent says, in order, to a contact who does not read the log. */
export interface Outlet {
  /** Receives the whole log whenever it has grown. */
  take(entries: readonly Entry[]): void
  /** The agent begins to answer this message of the contact; call what it answers when the agent has ended. */
  answering(message: Entry): () => void
  /** Resolves once every message so far is delivered or refused, or this gateway has released the call. */
  carried(): Promise<void>
  /** The call has ended: the rest is still delivered. */
  finish(): void
  /** Stops; resolves when no delivery is under way. */
  leave(): Promise<void>
}

/** Undefined if the contact reads the log. */
export type OpenOutlet = (record: WrittenCallRecord) => Outlet | undefined
