import { ReadableStream, type ReadableStreamDefaultController } from 'node:stream/web'
import { voice } from '@livekit/agents'
import { AudioFrame } from '@livekit/rtc-node'
import type { Sound } from '@switchroom/contract/sound'
import { abandon } from '@switchroom/kit/until-aborted'

/** Hands LiveKit what the party says; `arrived` has it first, with nothing queued in between. */
export class SoundInput extends voice.AudioInput {
  readonly #frames: AsyncIterator<Int16Array>
  #isStopped = false

  constructor(sound: Sound, arrived: (samples: Int16Array) => void, left: () => void) {
    super()
    this.#frames = sound.heard()[Symbol.asyncIterator]()
    const pull = async (controller: ReadableStreamDefaultController<AudioFrame>) => {
      const next = await this.#frames.next().catch(() => ({ done: true }) as const)
      if (this.#isStopped) return
      if (!next.done) {
        arrived(next.value)
        controller.enqueue(new AudioFrame(next.value, sound.sampleRate, 1, next.value.length))
        return
      }
      controller.close()
      left()
    }
    this.multiStream.addInputStream(new ReadableStream<AudioFrame>({ pull, cancel: () => this.stop() }))
  }

  /** Nothing reads it any more. */
  stop() {
    this.#isStopped = true
    abandon(this.#frames)
  }
}
