/** Pieces of 16-bit samples as they come, none of which ends in the middle of a sample. */
export async function* evenPieces(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let rest: Uint8Array = new Uint8Array(0)
  for await (const piece of pieces) {
    const joined = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    const whole = joined.length - (joined.length % 2)
    if (whole > 0) yield joined.subarray(0, whole)
    rest = joined.subarray(whole)
  }
}
