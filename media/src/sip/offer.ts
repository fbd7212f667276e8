import { isIPv4 } from 'node:net'
import sdp, { type Media, type Session } from 'sdp-transform'
import { MediaError } from '../plane.ts'
import type { MediaTerms } from '../rtp/media-terms.ts'

const limits = { chars: 16_384, lines: 512, media: 16 } as const
const codecs = { PCMU: 0, PCMA: 8 } as const
type Codec = keyof typeof codecs
const ourTonePayload = 101

type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive'

/** What the far end's description comes to. */
export interface FarEnd {
  terms: Omit<MediaTerms, 'localPort' | 'localAddress' | 'signalledFrom'>
  /** It wants to hear nothing from us. */
  isHeld: boolean
  direction: Direction
  session: Session
  /** The place of its sound among what it describes. */
  place: number
}

export const refused = (why: string) => new MediaError(`the far end's SDP does not fit: ${why}`)

/** Reads an offer, or an answer; throws a `MediaError` that says what does not fit. */
export function readSdp(text: string): FarEnd {
  const session = parse(text)
  if (session.media.length > limits.media) throw refused('it describes too much')
  const place = session.media.findIndex(
    ({ type, port, protocol }) => type === 'audio' && port > 0 && /^RTP\/AVPF?$/.test(protocol),
  )
  const media = session.media[place]
  if (!media) throw refused('it has no plain audio over RTP')
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
    isHeld: direction === 'sendonly' || direction === 'inactive' || address === '0.0.0.0',
    direction,
    session,
    place,
  }
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
  readonly #id = Math.floor(Math.random() * 2 ** 31)
  #version = 0
  #last = ''

  constructor(address: string, port: number) {
    this.#address = address
    this.#port = port
  }

  offer(): string {
    return this.#write([this.#audio(Object.keys(codecs) as Codec[], null, ourTonePayload, 'sendrecv')])
  }

  /** What we say again in an offer of our own once something is agreed. */
  agreed({ terms, isHeld }: FarEnd): string {
    return this.#write([
      this.#audio([terms.codec], terms.payloadType, terms.tonePayloadType, isHeld ? 'recvonly' : 'sendrecv'),
    ])
  }

  answer({ terms, session, place, direction }: FarEnd): string {
    const turned = {
      sendrecv: 'sendrecv',
      sendonly: 'recvonly',
      recvonly: 'sendonly',
      inactive: 'inactive',
    } as const
    const media = session.media.map((offered, at) =>
      at === place
        ? {
            ...this.#audio([terms.codec], terms.payloadType, terms.tonePayloadType, turned[direction]),
            protocol: offered.protocol,
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

  #audio(
    names: readonly Codec[],
    payloadType: number | null,
    tone: number | null,
    direction: Direction,
  ): Media {
    const rtp = names.map((codec) => ({ payload: payloadType ?? codecs[codec], codec, rate: 8_000 }))
    const tones = tone === null ? [] : [{ payload: tone, codec: 'telephone-event', rate: 8_000 }]
    return {
      type: 'audio',
      port: this.#port,
      protocol: 'RTP/AVP',
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
