import type { Sound } from '@switchroom/contract/sound'
import { abandon, untilAborted } from '@switchroom/kit/until-aborted'
import { readAhead } from './read-ahead.ts'
import type { Utterance } from './utterance.ts'
import { VoiceDetection, type VoiceActivity } from './voice-activity.ts'

/** So much is asked of a voice before it is played, so that no pause comes between two sentences. */
const mostFramesAhead = 100

export interface CallAudioListener {
  /** Every frame of the party, at the moment it comes. */
  arrived: (samples: Int16Array) => void
  /** The same, after those before it were looked through for speech: for the transcribers. */
  frame: (samples: Int16Array) => void
  activity: (activity: VoiceActivity) => void
  /** Samples are about to be handed over; whether anybody still wants to hear them. */
  isWanted: (samples: Int16Array) => boolean
  left: () => void
  failed: (error: unknown) => void
}

/** The sound of one call: what the party says is looked through for a voice, and what is said is played to them. */
export class CallAudio {
  readonly #sound: Sound
  readonly #listener: CallAudioListener
  #detection: VoiceDetection | null = null
  #frames: AsyncIterator<Int16Array> | null = null
  #isOver = false

  constructor(sound: Sound, listener: CallAudioListener) {
    this.#sound = sound
    this.#listener = listener
  }

  start() {
    const { frame, activity, failed } = this.#listener
    const { sampleRate } = this.#sound
    const detection = new VoiceDetection({ sampleRate, frame, activity, failed })
    const frames = this.#sound.heard()[Symbol.asyncIterator]()
    this.#detection = detection
    this.#frames = frames
    void this.#listen(frames, detection)
  }

  async #listen(frames: AsyncIterator<Int16Array>, detection: VoiceDetection) {
    for (;;) {
      const next = await frames.next().catch(() => ({ done: true }) as const)
      if (this.#isOver) return
      if (next.done) return this.#listener.left()
      this.#listener.arrived(next.value)
      detection.take(next.value)
    }
  }

  /** Resolves once it was played, or cut short. */
  async play(utterance: Utterance): Promise<void> {
    const { signal } = utterance
    try {
      for await (const samples of readAhead(utterance.samples(), mostFramesAhead)) {
        if (signal.aborted || !this.#listener.isWanted(samples)) return
        await untilAborted(this.#sound.play(samples), signal)
      }
      await untilAborted(this.#sound.drained(), signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  close() {
    this.#isOver = true
    this.#detection?.close()
    if (this.#frames) abandon(this.#frames)
  }
}
