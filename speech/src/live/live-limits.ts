/** How long a stream waits for what; in milliseconds. */
export interface LiveLimits {
  /** For a vendor: to take the connection, and then what it is sent. */
  vendorMs: number
  /** For the last words, once no more audio comes. */
  lastWordsMs: number
  /** For a client: to send anything, and to read what it is sent. */
  clientMs: number
  /** From one judgement of all open streams to the next. */
  judgeEveryMs: number
  /** For streams to finish by themselves when the server stops. */
  leavingMs: number
}

export const usualLimits: LiveLimits = {
  vendorMs: 15_000,
  lastWordsMs: 10_000,
  clientMs: 60_000,
  judgeEveryMs: 30_000,
  leavingMs: 10_000,
}
