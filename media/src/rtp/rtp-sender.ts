import { randomInt } from 'node:crypto'
import { Resampler } from '@switchroom/audio/resampler'
import { quickResampling } from '@switchroom/audio/resampling-filter'
import { frameMs } from '../sound/pacer.ts'
import { LoopedClip } from '../sound/looped-clip.ts'
import { Playout } from '../sound/playout.ts'
import { codecs } from './codecs.ts'
import { type Encode, newEncode } from './coders.ts'
import type { MediaTerms } from './media-terms.ts'
import { newRtp, payloadIn } from './rtp-packet.ts'
import { ToneSender } from './telephone-events.ts'

/** No packet carries more, whatever the other end would like. */
const mostFrames = 3
/** After so much silence, comfort noise is said instead: so often that nothing between the ends forgets the call. */
const silentFrames = 10
const comfortEveryFrames = 20
/** As quiet as a good line: 75 dB below the loudest. */
const comfort = Uint8Array.of(75)

/** Packets of so much sound are sent to a far end that would like this much in each. */
export const sentPtimeMs = (wantedMs: number) =>
  frameMs * Math.min(Math.floor(wantedMs / frameMs) || 1, mostFrames)

/** Makes the packets that a party is sent: what is played, keys that are pressed, and silence in between. */
export class RtpSender {
  readonly playout: Playout
  readonly tones: ToneSender
  readonly #sampleRate: number
  readonly #frameSamples: number
  readonly #silence: Int16Array
  readonly ssrc = randomInt(2 ** 32)
  /** From the lower half: who misses the first packets cannot miss that encrypted ones began anew. */
  #sequence = randomInt(2 ** 15)
  #timestamp = randomInt(2 ** 32)
  /** Whether the next packet is the first after a pause. */
  #isMarked = true
  /** Frames of a packet that is not full yet. */
  #frames: Int16Array[] = []
  #silentFrames = 0
  #between: LoopedClip | null = null
  #terms: MediaTerms
  #encode: Encode
  #resampler: Resampler

  /** What is played has this sample rate, whatever the codec's. */
  constructor(sampleRate: number, terms: MediaTerms) {
    this.#sampleRate = sampleRate
    this.#frameSamples = (sampleRate * frameMs) / 1000
    this.#silence = new Int16Array(this.#frameSamples)
    this.playout = new Playout(sampleRate)
    this.tones = new ToneSender(sampleRate)
    this.#terms = terms
    this.#encode = newEncode(terms.codec, terms.opus)
    this.#resampler = this.#resamplerFor(terms)
  }

  changeTerms(terms: MediaTerms): void {
    const { codec, opus } = this.#terms
    this.#terms = terms
    if (terms.codec === codec && JSON.stringify(terms.opus) === JSON.stringify(opus)) return
    this.#frames = []
    this.#encode = newEncode(terms.codec, terms.opus)
    this.#resampler = this.#resamplerFor(terms)
  }

  /** Of the sound that is due now. */
  get timestamp(): number {
    return this.#timestamp
  }

  /** The packet that is due with this frame; none while one is being filled, or in silence that needs none. */
  next(): Buffer | undefined {
    const { tonePayloadType, toneClockRate = 8000, ptimeMs } = this.#terms
    const tone = this.tones.next(this.#timestamp, tonePayloadType === null ? null : toneClockRate)
    if (tone?.kind === 'event') {
      this.#frames = []
      this.#silentFrames = 0
      this.pass(1)
      return this.#packet(tonePayloadType ?? 0, tone.beganAt, tone.isFirst, tone.payload)
    }
    const sound =
      tone?.samples ?? this.playout.take(this.#frameSamples) ?? this.#between?.take(this.#frameSamples)
    this.#silentFrames = sound ? 0 : this.#silentFrames + 1
    if (this.#terms.comfortPayloadType !== undefined && this.#silentFrames > silentFrames)
      return this.#pause(this.#terms.comfortPayloadType)
    this.#frames.push(this.#resampler.take(sound ?? this.#silence))
    return this.#frames.length * frameMs < sentPtimeMs(ptimeMs) ? undefined : this.#sound()
  }

  /** Over and over while nothing else is played; null ends it. */
  playBetween(clip: Int16Array | null): void {
    this.#between = clip && new LoopedClip(clip)
  }

  /** So many frames go by without being sent. */
  pass(frames: number): void {
    const ticks = (codecs[this.#terms.codec].clockRate * frameMs) / 1000
    this.#timestamp = (this.#timestamp + frames * ticks) >>> 0
    this.#isMarked = true
  }

  end(): void {
    this.playout.end()
    this.tones.end()
  }

  #resamplerFor({ codec }: MediaTerms): Resampler {
    const options = { quality: quickResampling, keepsPace: true }
    return new Resampler(this.#sampleRate, codecs[codec].sampleRate, options)
  }

  #sound(): Buffer {
    const [first, ...more] = this.#frames
    const count = this.#frames.length
    this.#frames = []
    const payload = this.#encode(more.length === 0 && first ? first : joined(first ? [first, ...more] : more))
    const packet = this.#packet(this.#terms.payloadType, this.#timestamp, this.#isMarked, payload)
    this.pass(count)
    this.#isMarked = false
    return packet
  }

  /** The rest of a packet that is not full is silent too, and left out. */
  #pause(payloadType: number): Buffer | undefined {
    this.pass(this.#frames.length)
    this.#frames = []
    const isDue = (this.#silentFrames - silentFrames - 1) % comfortEveryFrames === 0
    const packet = isDue ? this.#packet(payloadType, this.#timestamp, false, comfort) : undefined
    this.pass(1)
    return packet
  }

  #packet(payloadType: number, timestamp: number, isMarked: boolean, payload: Uint8Array): Buffer {
    this.#sequence = (this.#sequence + 1) & 0xffff
    const header = { payloadType, timestamp, isMarked, sequence: this.#sequence, ssrc: this.ssrc }
    const packet = newRtp(header, payload.length)
    payloadIn(packet).set(payload)
    return packet
  }
}

function joined(frames: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(frames.reduce((length, frame) => length + frame.length, 0))
  let at = 0
  for (const frame of frames) {
    whole.set(frame, at)
    at += frame.length
  }
  return whole
}
