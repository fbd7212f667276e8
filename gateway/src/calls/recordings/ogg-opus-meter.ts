const pageHeaderBytes = 27
const headPacketBytes = 19
/** Ogg counts Opus in these. */
const ticksPerMs = 48

/** Measures an Ogg Opus file while it passes (RFC 3533, RFC 7845), of which it keeps no more than a page's header. */
export class OggOpusMeter {
  #isOther = false
  /** The beginning of a page, until it is long enough to be read. */
  #header = Buffer.alloc(0)
  /** Of the page's content, still to pass. */
  #left = 0
  #pages = 0
  #skippedTicks: number | undefined
  #ticks = 0n

  take(chunk: Uint8Array) {
    let rest = chunk
    while (rest.length > 0 && !this.#isOther) {
      if (this.#left > 0) {
        const passed = Math.min(this.#left, rest.length)
        rest = rest.subarray(passed)
        this.#left -= passed
      } else rest = this.#takeHeader(rest)
    }
  }

  /** Whether what has passed is the beginning of something else. */
  get isOther(): boolean {
    return this.#isOther
  }

  /** How long it plays; undefined if it is no Ogg Opus file, or ends within a page. */
  get durationMs(): number | undefined {
    const isWhole = !this.#isOther && this.#left === 0 && this.#header.length === 0
    if (!isWhole || this.#skippedTicks === undefined) return undefined
    return Math.max(0, Math.round((Number(this.#ticks) - this.#skippedTicks) / ticksPerMs))
  }

  #takeHeader(rest: Uint8Array): Uint8Array {
    const wanted = this.#wantedBytes()
    const taken = rest.subarray(0, wanted - this.#header.length)
    this.#header = Buffer.concat([this.#header, taken])
    const isRead = this.#header.length === wanted && this.#wantedBytes() === wanted
    if (isRead) this.#readHeader()
    return rest.subarray(taken.length)
  }

  /** The header, its list of segments, and of the first page also the packet that says what follows. */
  #wantedBytes(): number {
    if (this.#header.length < pageHeaderBytes) return pageHeaderBytes
    const segments = this.#header.readUInt8(26)
    return pageHeaderBytes + segments + (this.#pages === 0 ? headPacketBytes : 0)
  }

  #readHeader() {
    const header = this.#header
    const segments = header.readUInt8(26)
    const begin = pageHeaderBytes + segments
    const bytes = header.subarray(pageHeaderBytes, begin).reduce((sum, length) => sum + length, 0)
    const isPage = header.toString('latin1', 0, 4) === 'OggS'
    const isOpus = this.#pages > 0 || header.toString('latin1', begin, begin + 8) === 'OpusHead'
    if (!isPage || !isOpus || bytes < header.length - begin) {
      this.#isOther = true
      return
    }
    if (this.#pages === 0) this.#skippedTicks = header.readUInt16LE(begin + 10)
    const ticks = header.readBigInt64LE(6)
    if (ticks > this.#ticks) this.#ticks = ticks // -1 on a page that ends no packet
    this.#left = bytes - (header.length - begin)
    this.#pages += 1
    this.#header = Buffer.alloc(0)
  }
}
