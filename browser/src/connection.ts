/** How a call's sound is connected, on whichever media plane. */
export interface Connection {
  /** Sends another microphone. */
  replaceTrack(track: MediaStreamTrack): Promise<void>
  press(digits: string): Promise<void>
  close(): void
}

/** What a connection needs, and what it tells. */
export interface ConnectionEnds {
  track: MediaStreamTrack
  /** The agent's sound has come. */
  onSound: (stream: MediaStream) => void
  onState: (state: 'connected' | 'reconnecting') => void
  /** The connection is gone for good. */
  onEnd: () => void
}
