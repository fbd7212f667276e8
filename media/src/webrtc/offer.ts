import { MediaError } from '../plane.ts'

const longestOffer = 32_768
const mostLines = 600

/** What is needed of a browser's offer, each value checked for its form. */
export interface ReadOffer {
  mid: string
  ufrag: string
  password: string
  fingerprint: string
  setup: 'actpass' | 'active'
  opus: number
  /** Telephone events, if the browser has them. */
  tones: { payloadType: number; clockRate: number } | null
}

const refusal = (why: string) => new MediaError(`the browser's offer cannot be answered: ${why}`)

/** Reads an offer of one stream of sound; fails with a `MediaError` that says what is wrong with it. */
export function readOffer(sdp: string): ReadOffer {
  if (sdp.length > longestOffer) throw refusal(`it is longer than ${longestOffer} characters`)
  const lines = sdp.split(/\r?\n/)
  if (lines.length > mostLines) throw refusal(`it has more than ${mostLines} lines`)
  if (lines[0] !== 'v=0') throw refusal('it is no SDP')
  const media = lines.filter((line) => line.startsWith('m='))
  const [sound] = media
  if (!sound || media.length > 1) throw refusal('it must hold one stream of sound and nothing else')
  const [, formats] = /^m=audio \d{1,5} UDP\/TLS\/RTP\/SAVPF((?: \d{1,3}){1,64})$/.exec(sound) ?? []
  if (formats === undefined) throw refusal('its one stream must be sound over UDP/TLS/RTP/SAVPF')
  const offered = new Set(formats.trim().split(' ').map(Number))
  const value = (form: RegExp, what: string) => {
    for (const line of lines) {
      const found = form.exec(line)
      if (found?.[1] !== undefined) return found[1]
    }
    throw refusal(`it names no ${what}`)
  }
  const codecs = codecsOf(lines, offered)
  const opus = codecs.find(({ name }) => name === 'opus/48000/2')
  if (!opus) throw refusal('it does not offer Opus')
  return {
    mid: value(/^a=mid:([\w-]{1,32})$/, 'mid'),
    ufrag: value(/^a=ice-ufrag:([\w+/]{4,256})$/, 'ice-ufrag'),
    password: value(/^a=ice-pwd:([\w+/]{22,256})$/, 'ice-pwd'),
    fingerprint: value(
      /^a=fingerprint:(sha-256 [\dA-Fa-f]{2}(?::[\dA-Fa-f]{2}){31})$/i,
      'fingerprint by sha-256',
    ),
    setup: value(/^a=setup:(actpass|active)$/, 'setup that lets us answer') as ReadOffer['setup'],
    opus: opus.payloadType,
    tones: tonesOf(codecs),
  }
}

/** An offer with nothing in it but what was read: what else a stranger wrote reaches no parser of ours. */
export function writeOffer({ mid, ufrag, password, fingerprint, setup, opus, tones }: ReadOffer): string {
  const lines = [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    `a=group:BUNDLE ${mid}`,
    `m=audio 9 UDP/TLS/RTP/SAVPF ${opus}${tones ? ` ${tones.payloadType}` : ''}`,
    'c=IN IP4 0.0.0.0',
    `a=ice-ufrag:${ufrag}`,
    `a=ice-pwd:${password}`,
    `a=fingerprint:${fingerprint}`,
    `a=setup:${setup}`,
    `a=mid:${mid}`,
    'a=sendrecv',
    'a=rtcp-mux',
    `a=rtpmap:${opus} opus/48000/2`,
    `a=fmtp:${opus} minptime=10;useinbandfec=1`,
    ...(tones ? [`a=rtpmap:${tones.payloadType} telephone-event/${tones.clockRate}`] : []),
  ]
  return lines.map((line) => `${line}\r\n`).join('')
}

interface Codec {
  payloadType: number
  /** As in `opus/48000/2`, in small letters. */
  name: string
}

function codecsOf(lines: readonly string[], offered: ReadonlySet<number>): Codec[] {
  return lines.flatMap((line) => {
    const [, payloadType, name] = /^a=rtpmap:(\d{1,3}) ([\w./-]{1,64})$/.exec(line) ?? []
    if (payloadType === undefined || name === undefined || !offered.has(Number(payloadType))) return []
    return Number(payloadType) > 127 ? [] : [{ payloadType: Number(payloadType), name: name.toLowerCase() }]
  })
}

/** By the clock of Opus if it is offered, because the two share their timestamps. */
function tonesOf(codecs: readonly Codec[]): ReadOffer['tones'] {
  for (const clockRate of [48_000, 8000]) {
    const codec = codecs.find(({ name }) => name === `telephone-event/${clockRate}`)
    if (codec) return { payloadType: codec.payloadType, clockRate }
  }
  return null
}
