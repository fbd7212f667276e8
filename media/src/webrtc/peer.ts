import { randomBytes } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import {
  MediaStreamTrack,
  RTCPeerConnection,
  RTCRtpCodecParameters,
  type RTCDtlsTransport,
  RtcpPacketConverter,
  RtcpRrPacket,
  RtcpSrPacket,
  RtpHeader,
  type RtpPacket,
} from 'werift'
import { MediaError } from '../plane.ts'
import { type ReadOffer, writeOffer } from './offer.ts'
import { demandProof } from './proven-peer.ts'
import { TcpCandidates } from './tcp-candidates.ts'

/** From so many addresses a browser may try to reach us; a stranger's tries would fill memory. */
const mostSources = 64

export interface PeerOptions {
  /** Where browsers reach this machine, when that is none of its own addresses. */
  publicAddress?: string
  /** Of the UDP ports that are used, first and last; any free one by default. */
  portRange?: readonly [number, number]
}

export interface SentPacket {
  payloadType: number
  sequence: number
  timestamp: number
  isMarked: boolean
  payload: Uint8Array
}

interface PeerParts {
  connection: RTCPeerConnection
  sdp: string
  offer: { current: ReadOffer }
  tcp: TcpCandidates
}

/** The connection to one browser: packets in and out, encrypted, and whether it is still open. */
export class Peer {
  /** The newest answer. */
  sdp: string
  /** When the browser was last heard of, by whatever it sent. */
  heardAt = performance.now()
  /** Of what we send. */
  readonly ssrc: number
  readonly #connection: RTCPeerConnection
  readonly #transport: RTCDtlsTransport
  readonly #offer: { current: ReadOffer }
  readonly #tcp: TcpCandidates

  private constructor({ connection, sdp, offer, tcp }: PeerParts) {
    const [transport] = connection.dtlsTransports
    const [sender] = connection.getSenders()
    if (!transport || !sender) throw new MediaError("the browser's offer could not be answered")
    this.#connection = connection
    this.#transport = transport
    this.ssrc = sender.ssrc
    this.sdp = sdp
    this.#offer = offer
    this.#tcp = tcp
  }

  static async answer(offer: ReadOffer, options: PeerOptions): Promise<Peer> {
    const sources = new Set<string>()
    const offered = { current: offer }
    const isForUs = (username: unknown) => username === `${ufrag()}:${offered.current.ufrag}`
    const connection = new RTCPeerConnection({
      codecs: { audio: codecsOf(offer) },
      headerExtensions: {},
      iceServers: [],
      // The browser finds the way; we send nothing to addresses that an offer names.
      iceLite: true,
      iceAdditionalHostAddresses: hasNetwork() ? [] : ['127.0.0.1'],
      icePortRange: options.portRange && [...options.portRange],
      iceFilterStunResponse: (message, [address, port]) => {
        const isTheBrowser = isForUs(message.getAttributeValue('USERNAME'))
        if (!isTheBrowser || (sources.size >= mostSources && !sources.has(`${address}:${port}`))) return false
        sources.add(`${address}:${port}`)
        // The library keeps to the first way that the browser chose, and browsers choose again.
        if (message.attributesKeys.includes('USE-CANDIDATE'))
          connection.iceTransports[0]?.connection.resetNominatedPair()
        if (peer) peer.heardAt = performance.now()
        return true
      },
    })
    const ufrag = () => connection.iceTransports[0]?.localParameters.usernameFragment
    let peer: Peer | undefined
    let tcp: TcpCandidates | undefined
    try {
      const sound = connection.addTransceiver(new MediaStreamTrack({ kind: 'audio' }), {
        direction: 'sendrecv',
      })
      // The library's own reports know nothing of packets that are sent past it: it starts none that run already.
      sound.sender.rtcpRunning = true
      sound.receiver.rtcpRunning = true
      await connection.setRemoteDescription({ type: 'offer', sdp: writeOffer(offer) })
      for (const transport of connection.dtlsTransports) demandProof(transport)
      await connection.setLocalDescription(await connection.createAnswer())
      const { sdp: udp = '' } = connection.localDescription ?? {}
      const { sdp, candidates } = await TcpCandidates.beside(udp, isForUs)
      tcp = candidates
      peer = new Peer({ connection, sdp: withAddress(sdp, options.publicAddress), offer: offered, tcp })
      return peer
    } catch (error) {
      tcp?.close()
      await connection.close()
      throw error
    }
  }

  /**
   * The browser comes by another way (an ICE restart): it and we get new names, and everything else stays. Sound goes
   * the old way until the browser has chosen the new one. Fails with a `MediaError`.
   */
  restart(offer: ReadOffer): void {
    const [ice] = this.#connection.iceTransports
    if (!ice) throw new MediaError('the call is over')
    const isSame = (['mid', 'fingerprint', 'opus'] as const).every(
      (what) => offer[what] === this.#offer.current[what],
    )
    if (!isSame) throw new MediaError('only the browser that is in the call can reconnect to it')
    const { connection } = ice
    const [oldName, oldPassword] = [connection.localUsername, connection.localPassword]
    connection.localUsername = randomBytes(6).toString('hex')
    connection.localPassword = randomBytes(16).toString('hex')
    connection.remoteUsername = offer.ufrag
    connection.remotePassword = offer.password
    this.#offer.current = offer
    this.sdp = this.sdp
      .replaceAll(`a=ice-ufrag:${oldName}\r\n`, `a=ice-ufrag:${connection.localUsername}\r\n`)
      .replaceAll(/^a=candidate:.*$/gm, (line) => renamed(line, connection.localUsername))
      .replace(`a=ice-pwd:${oldPassword}`, `a=ice-pwd:${connection.localPassword}`)
      .replace(
        /^(o=\S+ \S+ )(\d+)/m,
        (_line, begin: string, version: string) => `${begin}${BigInt(version) + 1n}`,
      )
  }

  onPacket(listener: (packet: RtpPacket) => void): void {
    this.#transport.onRtp.subscribe(listener)
  }

  /** The browser reports how it hears us, or what it has sent. */
  onReport(listener: (packet: Buffer) => void): void {
    this.#transport.onRtcp.subscribe((packet) => {
      if (packet instanceof RtcpSrPacket || packet instanceof RtcpRrPacket) listener(packet.serialize())
    })
  }

  onConnected(listener: () => void): void {
    this.#connection.connectionStateChange.subscribe((state) => {
      if (state === 'connected') listener()
    })
  }

  /** The browser says that it closed the connection; anybody who knows the port could say it, so watch what follows. */
  onGoodbye(listener: () => void): void {
    this.#transport.onStateChange.subscribe((state) => {
      if (state === 'closed') listener()
    })
  }

  onFailed(listener: () => void): void {
    this.#connection.connectionStateChange.subscribe((state) => {
      if (state === 'failed') listener()
    })
  }

  send({ payloadType, sequence, timestamp, isMarked, payload }: SentPacket): void {
    if (!this.#transport.srtpStarted) return
    const header = new RtpHeader({
      payloadType,
      sequenceNumber: sequence,
      timestamp,
      marker: isMarked,
      ssrc: this.ssrc,
    })
    void this.#transport.sendRtp(Buffer.from(payload.buffer, payload.byteOffset, payload.length), header)
  }

  sendReport(packet: Buffer): void {
    if (this.#transport.srtpStarted) void this.#transport.sendRtcp(RtcpPacketConverter.deSerialize(packet))
  }

  close(): Promise<void> {
    this.#tcp.close()
    return this.#connection.close()
  }
}

/** A machine with no network is still reached from itself. */
const hasNetwork = () =>
  Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ internal }) => !internal))

function codecsOf({ opus, tones }: ReadOffer): RTCRtpCodecParameters[] {
  return [
    new RTCRtpCodecParameters({
      mimeType: 'audio/opus',
      clockRate: 48_000,
      channels: 2,
      payloadType: opus,
      parameters: 'minptime=10;useinbandfec=1',
    }),
    ...(tones ? [new RTCRtpCodecParameters({ mimeType: 'audio/telephone-event', ...tones })] : []),
  ]
}

/** The address that browsers reach us at, beside each of ours that it represents. */
function withAddress(sdp: string, address: string | undefined): string {
  if (address === undefined || sdp.includes(` ${address} `)) return sdp
  const lines = sdp.split('\r\n')
  for (const transport of ['udp', 'tcp']) {
    const own = lines.find(
      (line) =>
        line.startsWith('a=candidate:') &&
        line.includes(` ${transport} `) &&
        !line.includes(' 127.0.0.1 ') &&
        line.includes('.'),
    )
    if (own === undefined) continue
    const parts = own.split(' ')
    parts[0] = `a=candidate:public${transport}`
    parts[4] = address
    lines.splice(lines.indexOf(own), 0, parts.join(' '))
  }
  return lines.join('\r\n')
}

/** A candidate that names whom it is for names them anew. */
const renamed = (candidate: string, name: string) =>
  candidate
    .split(' ')
    .map((word, at, words) =>
      words[at - 1] === 'ufrag' ? `${name}${word.endsWith('\r') ? '\r' : ''}` : word,
    )
    .join(' ')
