import { Encoder } from '@evan/opus'
import { decodeG711, encodeG711 } from '@switchroom/audio/g711'
import { G722Decoder, G722Encoder } from '@switchroom/audio/g722'
import { isOpusPause, OpusDecoder } from '../sound/opus-decoder.ts'
import type { Coding } from '../sound/received-audio.ts'
import { type Codec, codecs, type OpusTerms } from './codecs.ts'

const complexity = 3
export const opusBitsPerSecond = 32_000
/** Opus repeats a packet in the next one only if it is told to expect losses. */
const expectedLossPercent = 10

export type Encode = (samples: Int16Array) => Uint8Array

/** Decodes to the codec's own sample rate. */
export function newCoding(codec: Codec): Coding {
  const { clockRate, sampleRate } = codecs[codec]
  if (codec === 'opus') return { clockRate, sampleRate, ...opusDecoding(24_000) }
  if (codec === 'G722') {
    const decoder = new G722Decoder()
    return { clockRate, sampleRate, decode: (payload) => decoder.decode(payload) }
  }
  return { clockRate, sampleRate, decode: (payload) => decodeG711(codec, payload) }
}

export function opusDecoding(sampleRate: 16_000 | 24_000) {
  const decoder = new OpusDecoder(sampleRate)
  return {
    decode: (payload: Uint8Array) => decoder.decode(payload),
    conceal: (samples: number, next?: Uint8Array) => decoder.conceal(samples, next),
    isPause: isOpusPause,
  }
}

/** Encodes what has the codec's own sample rate. */
export function newEncode(codec: Codec, opus?: OpusTerms): Encode {
  if (codec === 'opus') return opusEncode(24_000, opus)
  if (codec === 'G722') {
    const encoder = new G722Encoder()
    return (samples) => encoder.encode(samples)
  }
  return (samples) => {
    const coded = new Uint8Array(samples.length)
    encodeG711(codec, samples, coded)
    return coded
  }
}

export function opusEncode(sampleRate: 16_000 | 24_000, terms?: OpusTerms): Encode {
  const encoder = new Encoder({ channels: 1, sample_rate: sampleRate, application: 'voip' })
  encoder.complexity = complexity
  encoder.bitrate = terms?.bitsPerSecond ?? opusBitsPerSecond
  encoder.inband_fec = terms?.repeats ?? false
  encoder.packet_loss = terms?.repeats ? expectedLossPercent : 0
  encoder.dtx = terms?.takesPauses ?? false
  return (samples) => encoder.encode(samples)
}
