import type { Sound } from '@switchroom/contract/sound'

/** How a leg ended: one side hung up, or nothing was heard of the other end any more. */
export type LegEnd = 'hangup' | 'lost'

/** Whether sound comes from a party: some, none for 30 seconds, or none is due because they hold us or only listen. */
export type SoundState = 'heard' | 'silent' | 'held'

/** How packets get through one way. */
export interface WayFigures {
  /** Packets so far. */
  expected: number
  lost: number
  jitterMs: number
}

/** How a line is, from its beginning on. */
export interface LineFigures {
  codec: string
  /** Null until the other end has reported. */
  roundTripMs: number | null
  /** What came from the other end. */
  heard: WayFigures
  /** What the other end reports of ours; null if it never did. */
  sent: WayFigures | null
}

/** One party of a call, whichever plane carries it. */
export interface Leg extends Sound {
  /** Sends the party on to another number or address; rejects with a `MediaError` if they stay. */
  transfer(to: string): Promise<void>
  /** Nothing when it is over. */
  hangUp(): Promise<void>
  /** Resolves once, whichever side ended it. */
  readonly ended: Promise<LegEnd>
  /** Once it has ended, what was seen of it, if the plane tells more than how: for the process's log. */
  readonly whyEnded?: string | undefined
  /** How its line is, if the plane measures it. */
  readonly line?: LineFigures | undefined
}
