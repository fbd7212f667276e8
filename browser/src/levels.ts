/** How loud each side is now: 0 is silence, 1 as loud as can be. */
export interface Levels {
  microphone: number
  agent: number
}

/** Measures both sides of a call; made on demand, because an `AudioContext` costs power. */
export class LevelMeter {
  readonly #context = new AudioContext()
  readonly #meters = new Map<string, { track: MediaStreamTrack; analyser: AnalyserNode }>()

  /** Zero until there is a track. */
  of(side: keyof Levels, track: MediaStreamTrack | undefined): number {
    if (!track) return 0
    if (this.#context.state === 'suspended') void this.#context.resume().catch(() => {})
    const analyser = this.#analyserOf(side, track)
    const samples = new Float32Array(analyser.fftSize)
    analyser.getFloatTimeDomainData(samples)
    const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
    return Math.min(1, Math.sqrt(power) * Math.SQRT2)
  }

  close(): void {
    void this.#context.close().catch(() => {})
  }

  #analyserOf(side: keyof Levels, track: MediaStreamTrack): AnalyserNode {
    const known = this.#meters.get(side)
    if (known?.track === track) return known.analyser
    const analyser = new AnalyserNode(this.#context, { fftSize: 1024 })
    this.#context.createMediaStreamSource(new MediaStream([track])).connect(analyser)
    this.#meters.set(side, { track, analyser })
    return analyser
  }
}
