import type { Media } from 'sdp-transform'
import { type Codec, codecs, type OpusTerms } from '../rtp/codecs.ts'
import { opusBitsPerSecond } from '../rtp/coders.ts'
import type { MediaTerms } from '../rtp/media-terms.ts'

/** What a line of sound agrees on beside its address. */
export type SoundTerms = Pick<
  MediaTerms,
  'codec' | 'payloadType' | 'opus' | 'tonePayloadType' | 'toneClockRate' | 'comfortPayloadType'
>

/**
 * What we offer, and most far ends answer with the first that they have. G.711 is first because calls that we place go
 * out through carriers to the telephone network, which has nothing better: any other codec would be transcoded there, and
 * cost processor time here, for the same sound. Who calls us decides by their own order.
 */
const offered: readonly Codec[] = ['PCMU', 'PCMA', 'G722', 'opus']
const comfortPayload = 13
const tonePayloads = [
  { payload: 101, rate: 8000 },
  { payload: 102, rate: 48_000 },
]
const leastOpusBits = 6000

type Mapped = NonNullable<Media['rtp']>[number]

const payloadsOf = ({ payloads }: Media): number[] =>
  String(payloads ?? '')
    .split(' ')
    .map(Number)
    .filter((payload) => Number.isInteger(payload) && payload >= 0 && payload < 128)

/** The codecs that the far end names and we speak, in its order. */
const spokenIn = (media: Media) =>
  payloadsOf(media).flatMap((payloadType) => {
    const mapped = media.rtp?.find(({ payload }) => payload === payloadType)
    const codec = codecOf(mapped, payloadType)
    return codec ? [{ codec, payloadType }] : []
  })

/** The first that the far end names of those that we speak, and what it has beside it; null if we speak none. */
export function soundTerms(media: Media): SoundTerms | null {
  const [first] = spokenIn(media)
  if (!first) return null
  const { clockRate } = codecs[first.codec]
  const comfort = clockRate === 8000 ? comfortIn(media) : null // Opus has pauses of its own
  return {
    ...first,
    ...(first.codec === 'opus' && { opus: opusTerms(media, first.payloadType) }),
    ...tonesIn(media, clockRate),
    ...(comfort !== null && { comfortPayloadType: comfort }),
  }
}

/** What a far end may send beside the first: a PBX that names all in its answer sends what its own phone speaks. */
export function otherCodecs(media: Media | undefined): Pick<MediaTerms, 'others'> {
  const others = media ? spokenIn(media).slice(1) : []
  return others.length > 0 ? { others } : {}
}

function codecOf(mapped: Mapped | undefined, payloadType: number): Codec | undefined {
  if (!mapped) return offered.find((codec) => codec !== 'opus' && codecs[codec].payloadType === payloadType)
  const { rate = 8000, encoding = 1 } = mapped
  const name = String(mapped.codec).toUpperCase()
  if (name === 'OPUS') return rate === 48_000 ? 'opus' : undefined
  if (Number(encoding) !== 1) return undefined
  if (name === 'G722') return rate === 8000 || rate === 16_000 ? 'G722' : undefined // some name its real rate
  return (name === 'PCMU' || name === 'PCMA') && rate === 8000 ? name : undefined
}

function opusTerms({ fmtp }: Media, payloadType: number): OpusTerms {
  const said = fmtp?.find(({ payload }) => payload === payloadType)?.config ?? ''
  const values = new Map(
    said.split(';').map((part) => {
      const [name = '', value = ''] = part.split('=')
      return [name.trim().toLowerCase(), value.trim()]
    }),
  )
  const value = (name: string) => Number(values.get(name) ?? NaN)
  const most = value('maxaveragebitrate')
  return {
    bitsPerSecond: most >= leastOpusBits ? Math.min(most, opusBitsPerSecond) : opusBitsPerSecond,
    repeats: value('useinbandfec') === 1,
    takesPauses: value('usedtx') === 1,
  }
}

/** With the clock of the sound, as RFC 4733 wants it; else with the one that everybody has. */
function tonesIn(media: Media, clockRate: number): Pick<MediaTerms, 'tonePayloadType' | 'toneClockRate'> {
  const payloads = new Set(payloadsOf(media))
  const events = (media.rtp ?? []).filter(
    ({ codec, payload }) => String(codec).toLowerCase() === 'telephone-event' && payloads.has(payload),
  )
  const found =
    events.find(({ rate }) => rate === clockRate) ?? events.find(({ rate }) => (rate ?? 8000) === 8000)
  if (!found) return { tonePayloadType: null }
  return { tonePayloadType: found.payload, ...(found.rate === 48_000 && { toneClockRate: 48_000 }) }
}

function comfortIn(media: Media): number | null {
  for (const payloadType of payloadsOf(media)) {
    const mapped = media.rtp?.find(({ payload }) => payload === payloadType)
    const isComfort = mapped
      ? String(mapped.codec).toUpperCase() === 'CN' && (mapped.rate ?? 8000) === 8000
      : payloadType === comfortPayload
    if (isComfort) return payloadType
  }
  return null
}

type Described = Pick<Media, 'payloads' | 'rtp' | 'fmtp'>

/** Everything that we speak. */
export function describeAll(): Described {
  return described([
    ...offered.map((codec) => lineOf(codec, codecs[codec].payloadType)),
    ...tonePayloads.map(toneLine),
    comfortLine(comfortPayload),
  ])
}

/** What was agreed on. */
export function describe(terms: SoundTerms): Described {
  const { codec, payloadType, tonePayloadType, toneClockRate = 8000, comfortPayloadType } = terms
  return described([
    lineOf(codec, payloadType),
    ...(tonePayloadType === null ? [] : [toneLine({ payload: tonePayloadType, rate: toneClockRate })]),
    ...(comfortPayloadType === undefined ? [] : [comfortLine(comfortPayloadType)]),
  ])
}

interface Line {
  rtp: Mapped
  config?: string
}

const lineOf = (codec: Codec, payload: number): Line =>
  codec === 'opus'
    ? {
        rtp: { payload, codec, rate: 48_000, encoding: 2 },
        config: `maxplaybackrate=${codecs.opus.sampleRate};useinbandfec=1`,
      }
    : { rtp: { payload, codec, rate: 8000 } }

const toneLine = ({ payload, rate }: { payload: number; rate: number }): Line => ({
  rtp: { payload, codec: 'telephone-event', rate },
  config: '0-16',
})

const comfortLine = (payload: number): Line => ({ rtp: { payload, codec: 'CN', rate: 8000 } })

const described = (lines: readonly Line[]): Described => ({
  payloads: lines.map(({ rtp }) => rtp.payload).join(' '),
  rtp: lines.map(({ rtp }) => rtp),
  fmtp: lines.flatMap(({ rtp: { payload }, config }) => (config === undefined ? [] : [{ payload, config }])),
})
