import { isIPv6 } from 'node:net'
import sdp, { type Media, type Session } from 'sdp-transform'
import { MediaError } from '../plane.ts'
import type { MediaTerms } from '../rtp/media-terms.ts'
import { chooseSound, type FarSecurity, isSoundProtocol, type SoundLine } from '../srtp/chosen-sound.ts'
import { LocalSecurity, type SecurityLines } from '../srtp/local-security.ts'
import type { Encryption, MediaSecurity } from '../srtp/media-security.ts'
import { readSecurity } from '../srtp/sdp-security.ts'
import { sentPtimeMs } from '../rtp/rtp-sender.ts'
import { describe, describeAll, otherCodecs, type SoundTerms, soundTerms } from './codecs.ts'
import { isNowhere, soundAddress, unreachable } from './sound-address.ts'

const limits = { chars: 16_384, lines: 512, media: 16 } as const

type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive'

/** What the far end's description comes to. */
export interface FarEnd {
  terms: Omit<MediaTerms, 'localPort' | 'localAddress' | 'signalledFrom' | 'security'>
  /** Null if its sound is in the clear. */
  security: FarSecurity | null
  /** It wants to hear nothing from us. */
  isHeld: boolean
  direction: Direction
  session: Session
  /** The place of its sound among what it describes. */
  place: number
}

export const refused = (why: string) => new MediaError(`the far end's SDP does not fit: ${why}`)

interface AudioLine extends SoundLine {
  media: Media
  place: number
}

type ChooseSound = (lines: readonly AudioLine[]) => { line: AudioLine; security: FarSecurity | null } | string

/** Reads an offer; throws a `MediaError` that says what does not fit. */
export const readOffer = (text: string, encryption?: Encryption): FarEnd =>
  readSdp(text, (lines) => chooseSound(lines, encryption))

/** Throws a `MediaError` if no sound can go between a far end and our address. */
export function checkReach(farEnd: FarEnd, ours: string): FarEnd {
  const why = unreachable(farEnd.terms.remoteAddress, ours)
  if (why !== undefined) throw refused(why)
  return farEnd
}

function readSdp(text: string, choose: ChooseSound): FarEnd {
  const session = parse(text)
  if (session.media.length > limits.media) throw refused('it describes too much')
  const lines = audioIn(text, session)
  if (lines.length === 0) throw refused('it has no audio over RTP')
  const chosen = choose(lines)
  if (typeof chosen === 'string') throw refused(chosen)
  const { media, place } = chosen.line
  const sound = soundTerms(media)
  if (!sound) throw refused('it takes none of Opus, G.722, PCMU and PCMA')
  const address = soundAddress(media.connection?.ip ?? session.connection?.ip ?? '')
  if (address === null)
    throw refused('its address in c= is no IP address of one machine, and no name that has one')
  if (!Number.isInteger(media.port) || media.port > 65_535) throw refused('its port is no port')
  const direction = directionOf(media.direction ?? session.direction)
  return {
    terms: {
      remoteAddress: address,
      remotePort: media.port,
      ...sound,
      ptimeMs: sentPtimeMs(Math.min(media.ptime ?? 20, media.maxptime ?? Infinity)),
      ...(direction === 'recvonly' && { onlyListens: true }),
      ...reportsOf(media),
    },
    security: chosen.security,
    isHeld: direction === 'sendonly' || direction === 'inactive' || isNowhere(address),
    direction,
    session,
    place,
  }
}

function audioIn(text: string, session: Session): AudioLine[] {
  const [head = '', ...sections] = text.split(/^(?=m=)/m)
  return session.media.flatMap((media, place) => {
    const { type, port, protocol } = media
    if (type !== 'audio' || !(port > 0) || !isSoundProtocol(protocol)) return []
    return [{ media, place, protocol, said: readSecurity(head, sections[place] ?? '') }]
  })
}

function parse(text: string): Session {
  if (text.length > limits.chars || text.split('\n').length > limits.lines) throw refused('it is too long')
  try {
    const session = sdp.parse(text)
    const isWhole = session.media.every(({ type, protocol }) => type && protocol)
    if (/^v=0\r?\n/.test(text) && session.origin && isWhole) return session
  } catch {
    // What it trips over is no SDP.
  }
  throw refused('it is no SDP')
}

const directionOf = (said: string | undefined): Direction =>
  said === 'sendonly' || said === 'recvonly' || said === 'inactive' ? said : 'sendrecv'

/** Where the far end has its reports (RFC 3605, RFC 5761); an address of their own is not believed. */
function reportsOf({ rtcp, rtcpMux }: Media): Pick<MediaTerms, 'rtcpMux' | 'remoteRtcpPort'> {
  const port = rtcp?.port ?? 0
  const isPort = Number.isInteger(port) && port > 0 && port <= 65_535
  return { ...(rtcpMux !== undefined && { rtcpMux: true }), ...(isPort && { remoteRtcpPort: port }) }
}

const sharedPort = ({ rtcpMux }: Pick<MediaTerms, 'rtcpMux'>) => (rtcpMux ? { rtcpMux: 'rtcp-mux' } : {})

/** Our side of a session, whose version goes up when what it says changes. */
export class LocalDescription {
  readonly #address: string
  readonly #port: number
  readonly #security: LocalSecurity
  readonly #id = Math.floor(Math.random() * 2 ** 31)
  #version = 0
  #last = ''

  constructor(address: string, port: number, encryption?: Encryption) {
    this.#address = address
    this.#port = port
    this.#security = new LocalSecurity(encryption)
  }

  /** Reads an offer within the call; throws a `MediaError` that says what does not fit. */
  readOffer(text: string): FarEnd {
    return checkReach(
      readSdp(text, (lines) => this.#security.chooseOffered(lines)),
      this.#address,
    )
  }

  /** Reads an answer to our last offer; throws a `MediaError` that says what does not fit. */
  readAnswer(text: string): FarEnd {
    const farEnd = checkReach(
      readSdp(text, (lines) => this.#security.chooseAnswered(lines)),
      this.#address,
    )
    const others = otherCodecs(farEnd.session.media[farEnd.place])
    return { ...farEnd, terms: { ...farEnd.terms, ...others } }
  }

  /** What sound is encrypted with; undefined if it is in the clear. */
  securityWith(farEnd: FarEnd | null): MediaSecurity | undefined {
    return this.#security.agreedWith(farEnd ? farEnd.security : undefined)
  }

  /** If our offer was not acceptable, the next one says it in another form; false if there is none. */
  offerOtherwise(): boolean {
    return this.#security.nextForm()
  }

  offer(): string {
    return this.#write([this.#audio(null, 20, 'sendrecv', this.#security.offer())])
  }

  /** What we say again in an offer of our own once something is agreed. */
  agreed({ terms, isHeld, session, place, security }: FarEnd): string {
    const lines = this.#security.agreed(session.media[place]?.protocol ?? 'RTP/AVP', security)
    const audio = this.#audio(terms, terms.ptimeMs, isHeld ? 'recvonly' : 'sendrecv', lines)
    return this.#write([{ ...audio, ...sharedPort(terms) }])
  }

  answer({ terms, session, place, direction, security }: FarEnd): string {
    const turned = {
      sendrecv: 'sendrecv',
      sendonly: 'recvonly',
      recvonly: 'sendonly',
      inactive: 'inactive',
    } as const
    const media = session.media.map((offered, at) =>
      at === place
        ? {
            ...this.#audio(
              terms,
              terms.ptimeMs,
              turned[direction],
              this.#security.answer(offered.protocol, security),
            ),
            ...sharedPort(terms),
          }
        : {
            type: offered.type,
            port: 0,
            protocol: offered.protocol,
            payloads: String(offered.payloads ?? '0'),
            rtp: [],
            fmtp: [],
          },
    )
    return this.#write(media)
  }

  /** Everything that we speak, if nothing is agreed yet. */
  #audio(terms: SoundTerms | null, ptimeMs: number, direction: Direction, security: SecurityLines): Media {
    return {
      type: 'audio',
      port: this.#port,
      ...security,
      ...(terms ? describe(terms) : describeAll()),
      ptime: ptimeMs,
      direction,
    }
  }

  #write(media: Media[]): string {
    const written = JSON.stringify(media)
    if (written !== this.#last) this.#version++
    this.#last = written
    return sdp.write({
      origin: {
        username: '-',
        sessionId: this.#id,
        sessionVersion: this.#version,
        netType: 'IN',
        ipVer: isIPv6(this.#address) ? 6 : 4,
        address: this.#address,
      },
      name: '-',
      connection: { version: isIPv6(this.#address) ? 6 : 4, ip: this.#address },
      timing: { start: 0, stop: 0 },
      media,
    })
  }
}
