import type { Socket } from 'node:dgram'
import type { LineFigures } from '../leg.ts'
import { type Codec, codecs } from './codecs.ts'
import { LearnedSource, type Source } from './learned-source.ts'
import type { MediaTerms } from './media-terms.ts'
import { type ArrivedPacket, Reception } from './reception.ts'
import { RtcpSession } from './rtcp-session.ts'
import { bindSound } from './sound-socket.ts'

const rtpHeaderBytes = 12

export interface LineReportsParts {
  /** Of what we send. */
  ssrc: () => number
  /** Of the sound that is due now. */
  timestamp: () => number
  /** Where sound is sent to. */
  soundTo: () => Source | undefined
  /** On the port for sound. */
  sendBeside: (bytes: Buffer, to: Source) => void
  /** As it goes over the wire, encrypted or not; undefined if it must not. */
  seal: (packet: Buffer) => Buffer | undefined
  /** As it was before; undefined for what is not the other end's. */
  open: (bytes: Buffer) => Buffer | undefined
  /** A report of the other end came. */
  onReport: () => void
  /** Epoch milliseconds that never step back. */
  nowMs?: () => number
}

/**
 * The reports of a phone leg and what they say of its line. They have the port above the one for sound, or share it
 * (RFC 5761); a port that cannot be had is done without.
 */
export class LineReports {
  readonly #parts: LineReportsParts
  readonly #reception: Reception
  readonly #session: RtcpSession
  readonly #nowMs: () => number
  #terms: MediaTerms
  /** Where reports come from, if that is another port than the one for sound. */
  #source: LearnedSource | undefined
  #socket: Socket | undefined
  #isBinding = false
  #isOver = false
  #packets = 0
  #octets = 0

  constructor(terms: MediaTerms, parts: LineReportsParts) {
    this.#parts = parts
    this.#terms = terms
    this.#nowMs = parts.nowMs ?? (() => performance.timeOrigin + performance.now())
    this.#reception = new Reception(this.#clockRate)
    this.#session = new RtcpSession({
      ssrc: parts.ssrc,
      clockRate: () => this.#clockRate,
      reception: this.#reception,
      sent: () => ({ packets: this.#packets, octets: this.#octets, timestamp: parts.timestamp() }),
      send: (packet) => this.#send(packet),
      nowMs: this.#nowMs,
    })
    void this.#bind()
  }

  get figures(): LineFigures {
    return {
      codec: this.#terms.codec,
      roundTripMs: this.#session.roundTripMs,
      heard: { ...this.#reception.totals, jitterMs: this.#reception.jitterMs },
      sent: this.#session.heardThere,
    }
  }

  update(terms: MediaTerms): void {
    this.#terms = terms
    this.#source = undefined
    void this.#bind()
  }

  /** A packet of sound went out. */
  sent({ length }: Buffer): void {
    this.#packets += 1
    this.#octets += length - rtpHeaderBytes
  }

  /** A packet came that is the party's; it has no codec if it is no sound. */
  arrived(packet: ArrivedPacket, codec: Codec | undefined): void {
    if (codec !== undefined) this.#reception.clockRate = codecs[codec].clockRate
    this.#reception.put(packet, this.#nowMs(), codec !== undefined)
  }

  tick(): void {
    this.#session.tick()
  }

  /** A packet of reports that came to the port for sound. */
  receive(bytes: Buffer, from: Source): void {
    const sound = this.#parts.soundTo()
    if (from.address === sound?.address && from.port === sound.port) this.#read(bytes)
  }

  end(): void {
    if (this.#isOver) return
    this.#session.leave()
    this.#isOver = true
    this.#socket?.close()
  }

  get #clockRate(): number {
    return codecs[this.#terms.codec].clockRate
  }

  #read(bytes: Buffer): void {
    const packet = this.#parts.open(bytes)
    if (packet && this.#session.receive(packet)) this.#parts.onReport()
  }

  /** Only from the address that sound is sent to: nobody else knows how the line is. */
  #receiveApart(bytes: Buffer, from: Source): void {
    const expected = this.#reportsTo()
    if (from.address !== expected?.address) return
    this.#source ??= new LearnedSource({ ...expected, signalledFrom: expected.address })
    if (this.#source.accepts(from, performance.now())) this.#read(bytes)
  }

  #send(packet: Buffer): void {
    const sound = this.#parts.soundTo()
    const bytes = this.#isApart || this.#terms.rtcpMux ? this.#parts.seal(packet) : undefined
    if (!bytes) return
    if (this.#terms.rtcpMux) {
      if (sound) this.#parts.sendBeside(bytes, sound)
      return
    }
    const to = this.#source?.source ?? this.#reportsTo()
    // what the system does not take is lost
    if (to && to.address === sound?.address) this.#socket?.send(bytes, to.port, to.address, () => {})
  }

  /** Keys of a handshake are those of one port alone (RFC 5764). */
  get #isApart(): boolean {
    return !this.#terms.rtcpMux && this.#terms.security?.kind !== 'dtls'
  }

  /** The port that was signalled for them, or the one above that of sound. */
  #reportsTo(): Source | undefined {
    const sound = this.#parts.soundTo()
    if (!sound) return undefined
    const { remoteAddress, remotePort, remoteRtcpPort } = this.#terms
    const isAsSignalled = sound.address === remoteAddress && sound.port === remotePort
    const port = (isAsSignalled && remoteRtcpPort) || sound.port + 1
    return port <= 65_535 ? { address: sound.address, port } : undefined
  }

  async #bind(): Promise<void> {
    const { localPort, localAddress } = this.#terms
    if (!this.#isApart || this.#socket || this.#isBinding || localPort >= 65_535) return
    this.#isBinding = true
    const socket = await bindSound({ localPort: localPort + 1, localAddress }).catch(() => undefined)
    this.#isBinding = false
    if (this.#isOver) return void socket?.close()
    socket?.on('error', () => {}) // sound tells whether the line is there
    socket?.on('message', (bytes, from) => this.#receiveApart(bytes, from))
    this.#socket = socket
  }
}
