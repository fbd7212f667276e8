const bias = 0x84
const clip = 32_635

const muLawSamples = Int16Array.from({ length: 256 }, (_, coded) => {
  const bits = ~coded & 0xff
  const magnitude = ((((bits & 0x0f) << 3) + bias) << ((bits >> 4) & 7)) - bias
  return bits & 0x80 ? -magnitude : magnitude
})

const aLawSamples = Int16Array.from({ length: 256 }, (_, coded) => {
  const bits = coded ^ 0x55
  const exponent = (bits >> 4) & 7
  const mantissa = ((bits & 0x0f) << 4) + 8
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1)
  return bits & 0x80 ? magnitude : -magnitude
})

function muLawByte(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), clip) + bias
  const exponent = 24 - Math.clz32(magnitude) // the bias makes it at least 0
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | mantissa) & 0xff
}

function aLawByte(sample: number): number {
  // Negative ones are counted from -1, so that the two halves mirror each other.
  const magnitude = Math.min(sample < 0 ? ~sample : sample, 32_767)
  const exponent = Math.max(0, 24 - Math.clz32(magnitude))
  const mantissa = (magnitude >> (exponent === 0 ? 4 : exponent + 3)) & 0x0f
  return ((sample < 0 ? 0 : 0x80) | (exponent << 4) | mantissa) ^ 0x55
}

/** The byte of every sample there is; a look-up is several times quicker than the arithmetic. */
const bytesOf = (byteOf: (sample: number) => number) =>
  Uint8Array.from({ length: 65_536 }, (_, at) => byteOf(at < 32_768 ? at : at - 65_536))

export type G711 = 'PCMU' | 'PCMA'

const laws = {
  PCMU: { samples: muLawSamples, bytes: bytesOf(muLawByte) },
  PCMA: { samples: aLawSamples, bytes: bytesOf(aLawByte) },
}

export function decodeG711(law: G711, coded: Uint8Array): Int16Array {
  const { samples } = laws[law]
  const decoded = new Int16Array(coded.length)
  for (let at = 0; at < coded.length; at += 1) decoded[at] = samples[coded[at] as number] as number // a byte has a sample
  return decoded
}

export function encodeG711(law: G711, samples: Int16Array, into: Uint8Array): void {
  const { bytes } = laws[law]
  for (let at = 0; at < samples.length; at += 1) into[at] = bytes[(samples[at] as number) & 0xffff] as number // likewise
}
