const bias = 0x84

/** What each byte of G.711 mu-law stands for, as a 16-bit sample. */
const table = Int16Array.from({ length: 256 }, (_, coded) => {
  const bits = ~coded & 0xff
  const magnitude = ((((bits & 0x0f) << 3) + bias) << ((bits >> 4) & 7)) - bias
  return bits & 0x80 ? -magnitude : magnitude
})

/** Signed 16-bit little-endian samples, one for each byte. */
export function fromMuLaw(coded: Uint8Array): Buffer {
  const pcm = Buffer.alloc(2 * coded.length)
  for (let at = 0; at < coded.length; at += 1) pcm.writeInt16LE(table[coded[at] ?? 0] ?? 0, 2 * at)
  return pcm
}
