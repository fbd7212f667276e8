import type { Entry } from '@switchroom/contract/log'
import type { WrittenHead } from './running.store.ts'

/** The way to a contact who does not read the log: what the agent says is handed over there, in order. */
export interface Outlet {
  /** Told of the whole log as it stands, whenever it has grown. */
  take(entries: readonly Entry[]): void
  /** When everything that was taken so far is handed over or was refused, or this gateway has let go of it. */
  carried(): Promise<void>
  /** The call has ended: what is left is still handed over. */
  finish(): void
  /** Lets go; answers when nothing is under way any more. */
  leave(): Promise<void>
}

/** Undefined where the contact reads the log. */
export type OpenOutlet = (head: WrittenHead) => Outlet | undefined
