import { randomInt } from 'node:crypto'
import type { RtpHeader } from 'werift'
import type { Leg, LegEnd, LineFigures } from '../leg.ts'
import { MediaError } from '../plane.ts'
import { type Encode, opusBitsPerSecond, opusDecoding, opusEncode } from '../rtp/coders.ts'
import { ToneReader, ToneSender } from '../rtp/telephone-events.ts'
import { HeardFrames } from '../sound/heard-frames.ts'
import { ReceivedAudio } from '../sound/received-audio.ts'
import { frameMs, pace, unpace } from '../sound/pacer.ts'
import { LoopedClip } from '../sound/looped-clip.ts'
import { Playout } from '../sound/playout.ts'
import { BrowserReports } from './browser-reports.ts'
import { readOffer, type ReadOffer } from './offer.ts'
import { patienceLeftMs } from './patience.ts'
import type { Peer } from './peer.ts'

/** Of Opus over RTP, whatever the rate of the samples. */
const clockRate = 48_000
const frameTicks = (clockRate * frameMs) / 1000
/** Silence is said so often, and then twice a second, so that the browser knows that its way still leads here. */
const silentFrames = 10
const framesBetween = 500 / frameMs
/** After a goodbye nothing comes any more; if something does, a stranger said it. */
const goodbyeMs = 1000
/** Every browser reads what a packet repeats of the one before it. */
const opusTerms = { bitsPerSecond: opusBitsPerSecond, repeats: true, takesPauses: false }

/** A party in a browser: Opus over WebRTC. */
export class BrowserLeg implements Leg {
  readonly sampleRate: 16_000 | 24_000
  readonly ended: Promise<LegEnd>
  readonly #peer: Peer
  readonly #offer: ReadOffer
  readonly #frame: number
  readonly #silence: Int16Array
  readonly #playout: Playout
  readonly #heard = new HeardFrames()
  readonly #received: ReceivedAudio
  readonly #tones: ToneReader
  readonly #toneSender: ToneSender
  readonly #encode: Encode
  readonly #reports: BrowserReports
  readonly #end = Promise.withResolvers<LegEnd>()
  #isConnected = false
  #goodbyeAt = Infinity
  #reconnectedAt = -Infinity
  #soundAt = -Infinity
  #isOver = false
  #whyEnded: string | undefined
  #sequence = randomInt(2 ** 16)
  #timestamp = randomInt(2 ** 32)
  #silentFrames = 0
  #between: LoopedClip | null = null
  #ssrc: number | undefined
  #toneListener: (digit: string) => void = () => {}

  constructor(peer: Peer, offer: ReadOffer, sampleRate: 16_000 | 24_000) {
    this.sampleRate = sampleRate
    this.#peer = peer
    this.#offer = offer
    this.#frame = (sampleRate * frameMs) / 1000
    this.#silence = new Int16Array(this.#frame)
    this.#playout = new Playout(sampleRate)
    this.#encode = opusEncode(sampleRate, opusTerms)
    this.#received = new ReceivedAudio({ clockRate, sampleRate, ...opusDecoding(sampleRate) })
    this.#tones = new ToneReader(offer.tones?.clockRate ?? clockRate)
    this.#toneSender = new ToneSender(sampleRate)
    this.#reports = new BrowserReports(peer, () => this.#timestamp)
    this.ended = this.#end.promise
    peer.onPacket(({ header, payload }) => this.#receive(header, payload))
    peer.onConnected(() => {
      this.#isConnected = true
    })
    peer.onGoodbye(() => {
      this.#goodbyeAt = performance.now()
    })
    peer.onFailed(() => this.#finishGone('its connection failed'))
    pace(this)
  }

  get playedMs(): number {
    return this.#playout.playedMs
  }

  get whyEnded(): string | undefined {
    return this.#whyEnded
  }

  get line(): LineFigures {
    return this.#reports.figures
  }

  heard = () => this.#heard.read()
  play = (samples: Int16Array) => this.#playout.play(samples)
  playBetween = (clip: Int16Array | null) => void (this.#between = clip && new LoopedClip(clip))
  clear = () => this.#playout.clear()
  drained = () => this.#playout.drained()
  /** Audibly: a browser does nothing with telephone events. */
  sendTones = (digits: string) => (this.#isOver ? Promise.resolve() : this.#toneSender.send(digits))

  onTone(listener: (digit: string) => void): void {
    this.#toneListener = listener
  }

  async transfer(): Promise<void> {
    throw new MediaError('a call from a browser cannot be sent on to a number')
  }

  async hangUp(): Promise<void> {
    this.#finish('hangup', 'our side hung up')
  }

  /** The browser's network changed: answers its new offer, and waits for it to come by another way. */
  reconnect(offer: string): string {
    if (this.#isOver) throw new MediaError('the call is over')
    this.#peer.restart(readOffer(offer))
    this.#reconnectedAt = performance.now()
    return this.#peer.sdp
  }

  tick(): void {
    const now = performance.now()
    const { heardAt } = this.#peer
    if (now - Math.max(heardAt, this.#reconnectedAt) > goodbyeMs && now - this.#goodbyeAt > goodbyeMs)
      return this.#finish('hangup', 'the browser closed its connection')
    const signs = {
      isConnected: this.#isConnected,
      heardAt,
      soundAt: this.#soundAt,
      reconnectedAt: this.#reconnectedAt,
    }
    if (patienceLeftMs(signs, now) < 0)
      return this.#finishGone(`it sent nothing for ${((now - heardAt) / 1000).toFixed(1)} s`)
    if (!this.#isConnected) return // playback begins once the browser can hear it
    this.#reports.tick()
    this.#send()
    for (const frame of this.#received.take()) this.#heard.put(frame)
  }

  missed(frames: number): void {
    this.#timestamp = (this.#timestamp + frames * frameTicks) >>> 0
    this.#received.missed(frames)
  }

  #send(): void {
    const tone = this.#toneSender.next(this.#timestamp, null)
    const sound =
      tone?.kind === 'samples'
        ? tone.samples
        : (this.#playout.take(this.#frame) ?? this.#between?.take(this.#frame))
    const isFirst = sound !== undefined && this.#silentFrames >= silentFrames
    this.#silentFrames = sound ? 0 : this.#silentFrames + 1
    const timestamp = this.#timestamp
    this.#timestamp = (timestamp + frameTicks) >>> 0
    if (this.#silentFrames > silentFrames && this.#silentFrames % framesBetween !== 0) return
    this.#sequence = (this.#sequence + 1) & 0xffff
    const payload = this.#encode(sound ?? this.#silence)
    const payloadType = this.#offer.opus
    this.#reports.sent(payload)
    this.#peer.send({ payloadType, sequence: this.#sequence, timestamp, isMarked: isFirst, payload })
  }

  #receive(header: RtpHeader, payload: Buffer): void {
    if (this.#isOver) return
    this.#heardNow()
    const { ssrc, sequenceNumber: sequence, timestamp } = header
    this.#reports.arrived({ ssrc, sequence, timestamp }, header.payloadType === this.#offer.opus)
    if (header.payloadType === this.#offer.opus) {
      if (header.ssrc !== this.#ssrc) this.#received.restart()
      this.#ssrc = header.ssrc
      if (payload.length > 0) this.#received.put(header.timestamp, payload)
    } else if (header.payloadType === this.#offer.tones?.payloadType) {
      const digit = this.#tones.read(header.timestamp, payload)
      if (digit !== undefined) this.#toneListener(digit)
    }
  }

  /** Packets that are still under way come within the first moments after a goodbye. */
  #heardNow(): void {
    const now = performance.now()
    this.#peer.heardAt = this.#soundAt = now
    if (now - this.#goodbyeAt > goodbyeMs / 2) this.#goodbyeAt = Infinity
  }

  /** A tab that is closed or killed often says no goodbye, so one that was there and is gone has hung up. */
  #finishGone(sign: string): void {
    if (!this.#isConnected) return this.#finish('lost', 'the browser never connected')
    this.#finish('hangup', `the browser is gone, ${sign}: its tab was closed, or its network is gone`)
  }

  #finish(how: LegEnd, why: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#whyEnded = why
    unpace(this)
    this.#playout.end()
    this.#toneSender.end()
    this.#heard.end()
    this.#end.resolve(how)
    this.#peer.close().catch(() => {}) // whatever it could not say, it is closed
  }
}
