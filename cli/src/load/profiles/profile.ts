import type { Measurements } from '../measuring/measurements.ts'
import type { ProfileName } from '../plan/profile-names.ts'

/** One thing that a place does, and when it is due, in milliseconds since the beginning of the run. */
export interface Due {
  atMs: number
}

/** One of those who use the deployment at once: a person who chats, writes, is called or calls. */
export interface Place {
  /** Does one thing and records how it went; never rejects. Ends early if the run does. */
  perform: (due: Due, signal: AbortSignal) => Promise<void>
  /** Leaves nothing open at the deployment; never rejects. */
  leave: () => Promise<void>
}

/** One kind of load. */
export interface Profile {
  name: ProfileName
  /** What it measures: the first is the main one. */
  series: readonly SeriesTitle[]
  /** Whether a place that is late skips what it missed: a caller lets the agent finish, however long it speaks. */
  waitsForAgent?: boolean
  place: (at: number) => Place
}

export interface SeriesTitle {
  name: string
  /** What the time is from and to, in words. */
  title: string
  usualTargets: readonly string[]
}

/** Where a profile records what it sees. */
export type Recorder = Pick<Measurements, 'done' | 'failed' | 'nowMs'>
