import { Resampler } from '@switchroom/audio/resampler'
import { quickResampling } from '@switchroom/audio/resampling-filter'
import { ReceivedAudio } from '../sound/received-audio.ts'
import { type Codec, codecs } from './codecs.ts'
import { newCoding } from './coders.ts'
import type { RtpPacket } from './rtp-packet.ts'

/** What a party is heard in, at one rate whichever of the agreed codecs it comes in. */
export class ReceivedSound {
  readonly #sampleRate: number
  /** One for each codec, however often a far end changes between them. */
  readonly #receivers = new Map<Codec, ReceivedAudio>()
  #codec: Codec
  #audio: ReceivedAudio
  #resampler: Resampler
  #ssrc: number | undefined

  constructor(codec: Codec, sampleRate: number) {
    this.#sampleRate = sampleRate
    this.#codec = codec
    this.#audio = this.#receiverFor(codec)
    this.#resampler = this.#resamplerFor(codec)
  }

  hearIn(codec: Codec): void {
    this.#codec = codec
    this.#audio = this.#receiverFor(codec)
    this.#audio.restart()
    this.#resampler = this.#resamplerFor(codec)
  }

  put(codec: Codec | 'comfort', { ssrc, timestamp, payload }: RtpPacket): void {
    if (codec !== 'comfort' && codec !== this.#codec) this.hearIn(codec)
    if (ssrc !== this.#ssrc) this.#audio.restart()
    this.#ssrc = ssrc
    if (codec === 'comfort') this.#audio.putComfort(timestamp, payload)
    else this.#audio.put(timestamp, payload)
  }

  *take(): Generator<Int16Array> {
    for (const frame of this.#audio.take()) yield this.#resampler.take(frame)
  }

  missed(frames: number): void {
    this.#audio.missed(frames)
  }

  #receiverFor(codec: Codec): ReceivedAudio {
    const receiver = this.#receivers.get(codec) ?? new ReceivedAudio(newCoding(codec))
    this.#receivers.set(codec, receiver)
    return receiver
  }

  #resamplerFor(codec: Codec): Resampler {
    const options = { quality: quickResampling, keepsPace: true }
    return new Resampler(codecs[codec].sampleRate, this.#sampleRate, options)
  }
}
