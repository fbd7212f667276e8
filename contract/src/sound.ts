/**
 * One party of a spoken call, as the room that carries sound hands it to the room that converses: what they say,
 * what they hear, and their keypad. Samples are signed 16 bit, mono.
 */
export interface Sound {
  /** Of the samples, both ways. */
  readonly sampleRate: number
  /** What the party says, in frames of 20 ms, silence included; ends with the party. One reader at a time. */
  heard(): AsyncIterable<Int16Array>
  /** Puts samples behind those that wait to be played; resolves when little enough waits for more to be given. */
  play(samples: Int16Array): Promise<void>
  /** Drops what was not played yet. */
  clear(): void
  /** How much of what was given to `play` the party has been sent so far, in milliseconds, over the whole call. */
  readonly playedMs: number
  /** Resolves once nothing waits to be played. */
  drained(): Promise<void>
  /** A key that the party pressed: 0 to 9, *, #, A to D. Only one listener. */
  onTone(listener: (digit: string) => void): void
  /** Whether the party holds the call: they hear nothing of us and nothing of them is heard. Told at once if they do. */
  onHold?(listener: (isHeld: boolean) => void): void
  /** Plays a clip over and over while nothing else is played; null ends it. */
  playBetween?(clip: Int16Array | null): void
  /** Presses keys down the line; resolves once they were sent. */
  sendTones(digits: string): Promise<void>
}
