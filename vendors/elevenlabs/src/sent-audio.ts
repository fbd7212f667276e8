const bytesPerSample = 2

/** What was sent, of the caller's audio and of our own silence: the vendor counts both, the caller only one. */
export class SentAudio {
  readonly #sampleRate: number
  #seconds = 0
  readonly #silences: { from: number; seconds: number }[] = []

  constructor(sampleRate: number) {
    this.#sampleRate = sampleRate
  }

  heard(pcm: Uint8Array): Uint8Array {
    this.#seconds += pcm.length / bytesPerSample / this.#sampleRate
    return pcm
  }

  silence(ms: number): Uint8Array {
    const seconds = ms / 1_000
    this.#silences.push({ from: this.#seconds, seconds })
    this.#seconds += seconds
    return new Uint8Array(Math.round(seconds * this.#sampleRate) * bytesPerSample)
  }

  /** A time of the vendor's on the caller's clock. */
  timeOf(vendorSeconds: number): number {
    let seconds = vendorSeconds
    for (const silence of this.#silences)
      if (silence.from < vendorSeconds) seconds -= Math.min(silence.seconds, vendorSeconds - silence.from)
    return Math.round(seconds * 1_000) / 1_000
  }
}
