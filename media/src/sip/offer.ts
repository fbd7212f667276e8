import { isIPv4 } from 'node:net'
import sdp, { type Media, type Session } from 'sdp-transform'
import { MediaError } from '../plane.ts'
import type { MediaTerms } from '../rtp/media-terms.ts'
import { chooseSound, type FarSecurity, isSoundProtocol, type SoundLine } from '../srtp/chosen-sound.ts'
import { LocalSecurity, type SecurityLines } from '../srtp/local-security.ts'
import type { Encryption, MediaSecurity } from '../srtp/media-security.ts'
import { readSecurity } from '../srtp/sdp-security.ts'

const limits = { chars: 16_384, lines: 512, media: 16 } as const
const codecs = { PCMU: 0, PCMA: 8 } as const
type Codec = keyof typeof codecs
const ourTonePayload = 101

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

function readSdp(text: string, choose: ChooseSound): FarEnd {
  const session = parse(text)
  if (session.media.length > limits.media) throw refused('it describes too much')
  const lines = audioIn(text, session)
  if (lines.length === 0) throw refused('it has no audio over RTP')
  const chosen = choose(lines)
  if (typeof chosen === 'string') throw refused(chosen)
  const { media, place } = chosen.line
  const codec = firstCodec(media)
  if (!codec) throw refused('it takes neither PCMU nor PCMA')
  const address = media.connection?.ip ?? session.connection?.ip ?? ''
  if (!isIPv4(address) || !isUnicast(address)) throw refused('its address is no IPv4 address')
  if (!Number.isInteger(media.port) || media.port > 65_535) throw refused('its port is no port')
  const direction = directionOf(media.direction ?? session.direction)
  const ptime = media.ptime ?? 20
  return {
    terms: {
      remoteAddress: address,
      remotePort: media.port,
      ...codec,
      tonePayloadType: tonePayload(media),
      ptimeMs: Number.isInteger(ptime) && ptime >= 10 && ptime <= 60 && ptime % 10 === 0 ? ptime : 20,
      ...(direction === 'recvonly' && { onlyListens: true }),
    },
    security: chosen.security,
    isHeld: direction === 'sendonly' || direction === 'inactive' || address === '0.0.0.0',
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

// 0.0.0.0 is how hold was once said.
const isUnicast = (address: string) => Number(address.split('.')[0]) < 224

const directionOf = (said: string | undefined): Direction =>
  said === 'sendonly' || said === 'recvonly' || said === 'inactive' ? said : 'sendrecv'

const payloadsOf = ({ payloads }: Media): number[] =>
  String(payloads ?? '')
    .split(' ')
    .map(Number)
    .filter((payload) => Number.isInteger(payload) && payload >= 0 && payload < 128)

/** The first that the far end names of those that we speak. */
function firstCodec(media: Media): { codec: Codec; payloadType: number } | null {
  for (const payloadType of payloadsOf(media)) {
    const mapped = media.rtp?.find(({ payload }) => payload === payloadType)
    const name = mapped
      ? String(mapped.codec).toUpperCase()
      : (Object.keys(codecs) as Codec[]).find((one) => codecs[one] === payloadType)
    if ((name === 'PCMU' || name === 'PCMA') && (mapped?.rate ?? 8_000) === 8_000)
      return { codec: name, payloadType }
  }
  return null
}

function tonePayload(media: Media): number | null {
  const offered = new Set(payloadsOf(media))
  const found = media.rtp?.find(
    ({ codec, rate, payload }) =>
      String(codec).toLowerCase() === 'telephone-event' && rate === 8_000 && offered.has(payload),
  )
  return found?.payload ?? null
}

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
    return readSdp(text, (lines) => this.#security.chooseOffered(lines))
  }

  /** Reads an answer to our last offer; throws a `MediaError` that says what does not fit. */
  readAnswer(text: string): FarEnd {
    return readSdp(text, (lines) => this.#security.chooseAnswered(lines))
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
    const lines = this.#security.offer()
    return this.#write([this.#audio(Object.keys(codecs) as Codec[], null, ourTonePayload, 'sendrecv', lines)])
  }

  /** What we say again in an offer of our own once something is agreed. */
  agreed({ terms, isHeld, session, place, security }: FarEnd): string {
    const { codec, payloadType, tonePayloadType } = terms
    const lines = this.#security.agreed(session.media[place]?.protocol ?? 'RTP/AVP', security)
    const direction = isHeld ? 'recvonly' : 'sendrecv'
    return this.#write([this.#audio([codec], payloadType, tonePayloadType, direction, lines)])
  }

  answer({ terms, session, place, direction, security }: FarEnd): string {
    const turned = {
      sendrecv: 'sendrecv',
      sendonly: 'recvonly',
      recvonly: 'sendonly',
      inactive: 'inactive',
    } as const
    const { codec, payloadType, tonePayloadType } = terms
    const media = session.media.map((offered, at) =>
      at === place
        ? this.#audio(
            [codec],
            payloadType,
            tonePayloadType,
            turned[direction],
            this.#security.answer(offered.protocol, security),
          )
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

  #audio(
    names: readonly Codec[],
    payloadType: number | null,
    tone: number | null,
    direction: Direction,
    security: SecurityLines,
  ): Media {
    const rtp = names.map((codec) => ({ payload: payloadType ?? codecs[codec], codec, rate: 8_000 }))
    const tones = tone === null ? [] : [{ payload: tone, codec: 'telephone-event', rate: 8_000 }]
    return {
      type: 'audio',
      port: this.#port,
      ...security,
      payloads: [...rtp, ...tones].map(({ payload }) => payload).join(' '),
      rtp: [...rtp, ...tones],
      fmtp: tones.map(({ payload }) => ({ payload, config: '0-16' })),
      ptime: 20,
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
        ipVer: 4,
        address: this.#address,
      },
      name: '-',
      connection: { version: 4, ip: this.#address },
      timing: { start: 0, stop: 0 },
      media,
    })
  }
}
