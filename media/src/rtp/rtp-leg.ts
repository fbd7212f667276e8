import type { Socket } from 'node:dgram'
import type { Leg, LegEnd, LineFigures, SoundState } from '../leg.ts'
import type { KeyedSecurity } from '../srtp/media-security.ts'
import { isHandshake, Protection } from '../srtp/protection.ts'
import { HeardFrames } from '../sound/heard-frames.ts'
import { keysIn } from '../sound/keypad.ts'
import { frameMs, pace, unpace } from '../sound/pacer.ts'
import { type Codec, codecs } from './codecs.ts'
import { LearnedSource, type Source } from './learned-source.ts'
import { LineReports } from './line-reports.ts'
import type { MediaTerms } from './media-terms.ts'
import { PressedKeys } from './pressed-keys.ts'
import { ReceivedSound } from './received-sound.ts'
import { isRtcp } from './rtcp-packet.ts'
import { readRtp } from './rtp-packet.ts'
import { RtpSender } from './rtp-sender.ts'
import { SignalledKeys } from './signalled-keys.ts'
import { bindSound } from './sound-socket.ts'
import { ToneReader } from './telephone-events.ts'

/** Nothing came for so many frames (30 s): the other end is silent. */
const silentFrames = 30_000 / frameMs
/** Of what one packet may hold: 200 ms of G.711. */
const longestPayload = 1600

/** What the signalling of a leg does for it. */
export interface Signalling {
  hangUp: () => Promise<void>
  transfer: (to: string) => Promise<void>
  /** Presses a key; rejects if the far end does not take it so. Absent if the signalling cannot. */
  press?: (key: string) => Promise<void>
  /** Decides whether a party that is silent for long is gone; without it they are. */
  tellSound?: (sound: SoundState) => void
  /** How the signalling ended. */
  ended: Promise<LegEnd>
}

/** A party on the phone, over RTP. */
export class RtpLeg implements Leg {
  readonly ended: Promise<LegEnd>
  readonly #socket: Socket
  readonly #signalling: Signalling
  readonly #source: LearnedSource
  readonly #protection: Protection
  readonly #heard = new HeardFrames()
  readonly #pressedKeys = new PressedKeys()
  readonly #signalledKeys: SignalledKeys | undefined
  readonly #reports: LineReports
  readonly #end = Promise.withResolvers<LegEnd>()
  #terms: MediaTerms
  /** Of the codec that was agreed on first: a later change of codec leaves the rate as it is. */
  #sampleRate: number
  #sender: RtpSender
  #received: ReceivedSound
  #tones: ToneReader
  #isHeld = false
  #isWaiting = false
  #isOver = false
  #framesSincePacket = 0
  #keys: KeyedSecurity | undefined
  #keysListener: (keys: KeyedSecurity) => void = () => {}
  #sound: SoundState | undefined
  #holdListener: (isHeld: boolean) => void = () => {}

  private constructor(socket: Socket, terms: MediaTerms, signalling: Signalling) {
    this.#socket = socket
    this.#terms = terms
    this.#signalling = signalling
    this.#source = new LearnedSource(signalledIn(terms))
    this.#sampleRate = codecs[terms.codec].sampleRate
    this.#sender = new RtpSender(this.#sampleRate, terms)
    this.#received = new ReceivedSound(terms.codec, this.#sampleRate)
    this.#tones = new ToneReader(terms.toneClockRate ?? 8000)
    this.#pressedKeys.listen(terms.tonePayloadType === null, this.#sampleRate)
    this.#signalledKeys = signalling.press && new SignalledKeys(signalling.press)
    this.#protection = new Protection(
      {
        send: (bytes) => this.#transmit(bytes),
        onKeys: (keys) => {
          this.#keys = keys
          this.#keysListener(keys)
        },
        onFailure: () => this.#lose(),
      },
      terms.security,
    )
    this.#reports = new LineReports(terms, {
      ssrc: () => this.#sender.ssrc,
      timestamp: () => this.#sender.timestamp,
      soundTo: () => this.#source.source,
      sendBeside: (bytes, to) => this.#socket.send(bytes, to.port, to.address, () => {}),
      seal: (bytes) => this.#protection.seal(bytes),
      open: (bytes) => this.#protection.open(bytes),
      onReport: () => this.#heardOf(),
    })
    this.ended = this.#end.promise
    socket.on('message', (bytes, from) => this.receive(bytes, from))
    socket.on('error', () => this.#lose())
    void signalling.ended.then(
      (how) => this.#finish(how),
      () => this.#finish('lost'),
    )
    pace(this)
  }

  /** Binds the port, if no socket is given that has it already; fails with a `MediaError`. */
  static async open(terms: MediaTerms, signalling: Signalling, bound?: Socket): Promise<RtpLeg> {
    return new RtpLeg(bound ?? (await bindSound(terms)), terms, signalling)
  }

  get sampleRate(): number {
    return this.#sampleRate
  }

  get playedMs(): number {
    return this.#sender.playout.playedMs
  }

  /** What a handshake finds, or has found: with it another leg can speak to the party, if this one is lost. */
  onKeys(listener: (keys: KeyedSecurity) => void): void {
    this.#keysListener = listener
    if (this.#keys) listener(this.#keys)
  }

  get line(): LineFigures {
    return this.#reports.figures
  }

  /** Nothing is sent before the party is answered. */
  wait(): void {
    this.#isWaiting = true
  }

  /** What a re-INVITE changed; while held nothing is sent. The local port stays. */
  updateTerms(terms: MediaTerms, isHeld: boolean): void {
    const { codec, toneClockRate, tonePayloadType } = this.#terms
    this.#terms = terms
    if (isHeld !== this.#isHeld) this.#holdListener(isHeld)
    this.#isHeld = isHeld
    this.#source.signal(signalledIn(terms))
    this.#protection.update(terms.security)
    this.#reports.update(terms)
    this.#sender.changeTerms(terms)
    if (terms.toneClockRate !== toneClockRate) this.#tones = new ToneReader(terms.toneClockRate ?? 8000)
    if ((terms.tonePayloadType === null) !== (tonePayloadType === null))
      this.#pressedKeys.listen(terms.tonePayloadType === null, this.#sampleRate)
    if (terms.codec !== codec) this.#received.hearIn(terms.codec)
  }

  /** They answered in these terms; the leg was bound before, when the codec may have been a guess. */
  begin(terms: MediaTerms): void {
    const { sampleRate } = codecs[terms.codec]
    if (sampleRate !== this.#sampleRate) {
      this.#sampleRate = sampleRate
      this.#sender = new RtpSender(sampleRate, terms)
      this.#heard.clear()
      this.#pressedKeys.listen(terms.tonePayloadType === null, sampleRate)
      this.#received = new ReceivedSound(terms.codec, sampleRate)
    }
    this.#isWaiting = false
    this.updateTerms(terms, this.#isHeld)
  }

  heard = () => this.#heard.read()
  play = (samples: Int16Array) => this.#sender.playout.play(samples)
  playBetween = (clip: Int16Array | null) => this.#sender.playBetween(clip)
  clear = () => this.#sender.playout.clear()
  drained = () => this.#sender.playout.drained()
  transfer = (to: string) => this.#signalling.transfer(to)

  /** The first listener gets the keys that were pressed before. */
  onTone(listener: (digit: string) => void): void {
    this.#pressedKeys.onKey(listener)
  }

  onHold(listener: (isHeld: boolean) => void): void {
    this.#holdListener = listener
    if (this.#isHeld) listener(true)
  }

  /** A key that came as signalling. */
  press(digit: string): void {
    this.#pressedKeys.signal(digit)
  }

  /** As telephone events, else by signalling if the party takes it, else audibly. */
  async sendTones(digits: string): Promise<void> {
    const keys = keysIn(digits)
    if (this.#isOver) return
    const { tonePayloadType, takesInfo } = this.#terms
    const isSignalled = tonePayloadType === null && takesInfo
    const left = isSignalled && this.#signalledKeys ? await this.#signalledKeys.send(keys) : keys
    if (left.length > 0 && !this.#isOver) await this.#sender.tones.send(left.join(''))
  }

  async hangUp(): Promise<void> {
    if (this.#isOver) return
    this.#finish('hangup')
    await this.#signalling.hangUp()
  }

  tick(): void {
    if (this.#isHeld || this.#isWaiting || !this.#protection.isReady) this.#sender.pass(1)
    else this.#send(this.#sender.next())
    for (const frame of this.#received.take()) this.#hear(frame)
    // A party that holds us need not send, and one that only listens does not.
    const isUndue = this.#isHeld || this.#isWaiting || this.#terms.onlyListens
    this.#framesSincePacket = isUndue ? 0 : this.#framesSincePacket + 1
    if (isUndue) this.#tellSound('held')
    else this.#tellSound(this.#framesSincePacket < silentFrames ? 'heard' : 'silent')
    this.#reports.tick()
  }

  missed(frames: number): void {
    this.#sender.pass(frames)
    this.#received.missed(frames)
  }

  #hear(frame: Int16Array): void {
    this.#pressedKeys.hear(frame)
    this.#heard.put(frame)
  }

  #codecOf(payloadType: number): Codec | undefined {
    const { codec, others } = this.#terms
    if (payloadType === this.#terms.payloadType) return codec
    return others?.find((other) => other.payloadType === payloadType)?.codec
  }

  #send(packet: Buffer | undefined): void {
    const sealed = packet && this.#protection.seal(packet)
    if (!sealed) return
    this.#transmit(sealed)
    this.#reports.sent(packet)
  }

  #transmit(bytes: Buffer): void {
    const to = this.#source.source
    // A packet that the system does not take is a packet lost.
    if (to && !this.#isOver) this.#socket.send(bytes, to.port, to.address, () => {})
  }

  /** A packet that came to the port, also before this leg had it. */
  receive(bytes: Buffer, from: Source): void {
    if (isHandshake(bytes)) return this.#takeHandshake(bytes, from)
    if (isRtcp(bytes)) return this.#reports.receive(bytes, from)
    const opened = this.#protection.open(bytes)
    const packet = opened && readRtp(opened)
    // what was not agreed on is a sign of life, too
    if (packet && this.#source.isHeardFrom(from)) this.#heardOf()
    if (!packet || packet.payload.length > longestPayload) return
    const { tonePayloadType, comfortPayloadType } = this.#terms
    const codec = this.#codecOf(packet.payloadType)
    const isComfort = packet.payloadType === comfortPayloadType
    if (codec === undefined && !isComfort && packet.payloadType !== tonePayloadType) return
    if (!this.#source.accepts(from, performance.now())) return
    this.#heardOf()
    this.#reports.arrived(packet, codec)
    if (this.#isHeld && packet.payloadType !== tonePayloadType) return // music, and nothing that they say
    if (codec !== undefined) return this.#received.put(codec, packet)
    if (isComfort) return this.#received.put('comfort', packet)
    const digit = this.#tones.read(packet.timestamp, packet.payload)
    if (digit !== undefined) this.#pressedKeys.press(digit)
  }

  #takeHandshake(bytes: Buffer, from: Source): void {
    if (this.#terms.security?.kind !== 'dtls' || !this.#source.accepts(from, performance.now())) return
    this.#protection.receive(bytes)
  }

  #heardOf(): void {
    this.#framesSincePacket = 0
    if (this.#sound === 'silent') this.#tellSound('heard')
  }

  #tellSound(sound: SoundState): void {
    if (sound === this.#sound) return
    this.#sound = sound
    if (this.#signalling.tellSound) this.#signalling.tellSound(sound)
    else if (sound === 'silent') this.#lose()
  }

  #lose(): void {
    if (this.#isOver) return
    this.#finish('lost')
    this.#signalling.hangUp().catch(() => {}) // the far end is gone
  }

  #finish(how: LegEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    unpace(this)
    this.#reports.end()
    this.#protection.end()
    this.#socket.close()
    this.#sender.end()
    this.#heard.end()
    this.#end.resolve(how)
  }
}

const signalledIn = ({ remoteAddress: address, remotePort: port, signalledFrom }: MediaTerms) => ({
  address,
  port,
  signalledFrom,
})
