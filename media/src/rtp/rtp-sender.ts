import { randomInt } from 'node:crypto'
import { encodeG711 } from '@switchroom/audio/g711'
import { frameMs } from '../sound/pacer.ts'
import { Playout } from '../sound/playout.ts'
import type { MediaTerms } from './media-terms.ts'
import { newRtp, payloadIn } from './rtp-packet.ts'
import { ToneSender } from './telephone-events.ts'

const sampleRate = 8000
const frameSamples = (sampleRate * frameMs) / 1000
const silence = new Int16Array(frameSamples)
/** No packet carries more, whatever the other end would like. */
const mostFrames = 3

/** Makes the packets that a party is sent: what is played, keys that are pressed, and silence in between. */
export class RtpSender {
  readonly playout = new Playout(sampleRate)
  readonly tones = new ToneSender(sampleRate, sampleRate)
  readonly #ssrc = randomInt(2 ** 32)
  /** From the lower half: who misses the first packets cannot miss that encrypted ones began anew. */
  #sequence = randomInt(2 ** 15)
  #timestamp = randomInt(2 ** 32)
  /** Whether the next packet is the first after a pause. */
  #isMarked = true
  /** Frames of a packet that is not full yet. */
  #frames: Int16Array[] = []

  /** The packet that is due with this frame; none while one is being filled. */
  next(terms: MediaTerms): Buffer | undefined {
    const tone = this.tones.next(this.#timestamp, terms.tonePayloadType === null)
    if (tone?.kind === 'event') {
      this.#frames = []
      this.pass(1)
      return this.#event(terms.tonePayloadType ?? 0, tone)
    }
    this.#frames.push(tone?.samples ?? this.playout.take(frameSamples) ?? silence)
    const wanted = Math.min(Math.max(1, Math.floor(terms.ptimeMs / frameMs)), mostFrames)
    return this.#frames.length < wanted ? undefined : this.#sound(terms)
  }

  /** So many frames go by without being sent. */
  pass(frames: number): void {
    this.#timestamp = (this.#timestamp + frames * frameSamples) >>> 0
    this.#isMarked = true
  }

  end(): void {
    this.playout.end()
    this.tones.end()
  }

  #sound({ codec, payloadType }: MediaTerms): Buffer {
    const frames = this.#frames
    this.#frames = []
    const packet = newRtp(
      this.#header(payloadType, this.#timestamp, this.#isMarked),
      frames.length * frameSamples,
    )
    for (const [at, frame] of frames.entries())
      encodeG711(codec, frame, payloadIn(packet).subarray(at * frameSamples))
    this.pass(frames.length)
    this.#isMarked = false
    return packet
  }

  #event(payloadType: number, tone: { beganAt: number; isFirst: boolean; payload: Uint8Array }): Buffer {
    const packet = newRtp(this.#header(payloadType, tone.beganAt, tone.isFirst), tone.payload.length)
    payloadIn(packet).set(tone.payload)
    return packet
  }

  #header(payloadType: number, timestamp: number, isMarked: boolean) {
    this.#sequence = (this.#sequence + 1) & 0xffff
    return { payloadType, timestamp, isMarked, sequence: this.#sequence, ssrc: this.#ssrc }
  }
}
