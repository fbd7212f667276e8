/** A browser that has not come by then does not come. */
const connectMs = 20_000
/** One that sent sound until it sent nothing at all is gone: its tab was killed, or it has no network. */
const goneMs = 4_500
/** One that sends no sound (it has no microphone) only asks whether we are there, every few seconds. */
const quietMs = 15_000
/** What came within so much of the last sound came with it. */
const besideMs = 1_000

/** When a browser was last heard of, by the same clock. */
export interface BrowserSigns {
  isConnected: boolean
  /** By anything. */
  heardAt: number
  soundAt: number
  /** When it last offered to come by another way. */
  reconnectedAt: number
}

/** How much longer than now the browser may be silent; negative if it is gone. */
export function patienceLeftMs(signs: BrowserSigns, now: number): number {
  const { isConnected, heardAt, soundAt, reconnectedAt } = signs
  if (!isConnected || reconnectedAt >= heardAt) return Math.max(heardAt, reconnectedAt) + connectMs - now
  return heardAt + (heardAt - soundAt < besideMs ? goneMs : quietMs) - now
}
