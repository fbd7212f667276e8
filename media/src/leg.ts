import type { Sound } from '@switchroom/contract/sound'

/** How a leg ended: one side hung up, or nothing was heard of the other end any more. */
export type LegEnd = 'hangup' | 'lost'

/** One party of a call, whichever plane carries it. */
export interface Leg extends Sound {
  /** Sends the party on to another number or address; rejects with a `MediaError` if they stay. */
  transfer(to: string): Promise<void>
  /** Nothing when it is over. */
  hangUp(): Promise<void>
  /** Resolves once, whichever side ended it. */
  readonly ended: Promise<LegEnd>
}
