/** How far into a file its audio data may begin. */
const longestHeader = 4096

/** Measures a WAV file while it passes. The length in its header is ignored: it may be that of a stream. */
export class WavMeter {
  #header = Buffer.alloc(0)
  #bytes = 0

  take(chunk: Uint8Array) {
    this.#bytes += chunk.length
    const room = longestHeader - this.#header.length
    if (room > 0) this.#header = Buffer.concat([this.#header, chunk.subarray(0, room)])
  }

  /** Whether what has passed is the beginning of something else. */
  get isOther(): boolean {
    return this.#header.length === longestHeader && this.durationMs === undefined
  }

  /** How long it plays; undefined if it is no WAV file. */
  get durationMs(): number | undefined {
    const header = this.#header
    if (header.toString('latin1', 0, 4) !== 'RIFF' || header.toString('latin1', 8, 12) !== 'WAVE')
      return undefined
    let bytesPerSecond = 0
    for (let at = 12; at + 8 <= header.length;) {
      const [chunk, length] = [header.toString('latin1', at, at + 4), header.readUInt32LE(at + 4)]
      if (chunk === 'fmt ' && at + 20 <= header.length) bytesPerSecond = header.readUInt32LE(at + 16)
      if (chunk === 'data')
        return bytesPerSecond > 0 ? Math.round(((this.#bytes - at - 8) / bytesPerSecond) * 1000) : undefined
      at += 8 + length + (length % 2)
    }
    return undefined
  }
}
