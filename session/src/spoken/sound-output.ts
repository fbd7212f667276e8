import { voice } from '@livekit/agents'
import type { AudioFrame } from '@livekit/rtc-node'
import type { Sound } from '@switchroom/contract/sound'

interface Segment {
  cleared: PromiseWithResolvers<void>
  fromMs: number
}

/** Plays what LiveKit has to play to the party. One segment at a time, as it asks for. */
export class SoundOutput extends voice.AudioOutput {
  readonly #sound: Sound
  readonly #isWanted: (samples: Int16Array) => boolean
  #segment: Segment | null = null

  /** `isWanted` is asked right before samples are handed over. */
  constructor(sound: Sound, isWanted: (samples: Int16Array) => boolean) {
    super(sound.sampleRate)
    this.#sound = sound
    this.#isWanted = isWanted
  }

  override async captureFrame(frame: AudioFrame): Promise<void> {
    await super.captureFrame(frame)
    if (!this.#segment) {
      this.#segment = { cleared: Promise.withResolvers(), fromMs: this.#sound.playedMs }
      this.onPlaybackStarted(Date.now())
    }
    if (!this.#isWanted(frame.data)) return
    await Promise.race([this.#sound.play(frame.data), this.#segment.cleared.promise])
  }

  override flush() {
    super.flush()
    const segment = this.#segment
    if (!segment) return
    void this.#sound.drained().then(() => this.#finish(segment, false))
  }

  override clearBuffer() {
    if (!this.#segment) return
    this.#sound.clear()
    this.#finish(this.#segment, true)
  }

  #finish(segment: Segment, interrupted: boolean) {
    if (this.#segment !== segment) return
    this.#segment = null
    this.abandonOpenSegment()
    segment.cleared.resolve()
    const playbackPosition = (this.#sound.playedMs - segment.fromMs) / 1_000
    this.onPlaybackFinished({ playbackPosition, interrupted })
  }
}
