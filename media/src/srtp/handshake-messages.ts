/** A piece of a handshake's message as it came, or a whole one (RFC 6347 4.2.2). */
export interface HandshakePiece {
  msg_type: number
  message_seq: number
  length: number
  fragment_offset: number
  fragment_length: number
  fragment: Buffer
}

const clientHello = 1
/** A certificate with others behind it. */
const longestMessage = 16_384
const mostAhead = 8

interface Partial<P> {
  whole: P
  bytes: Buffer
  isThere: Uint8Array
  missing: number
}

/** Messages of a handshake whole, in order and once, whatever became of their datagrams. */
export class HandshakeMessages<P extends HandshakePiece> {
  #next = 0
  readonly #partial = new Map<number, Partial<P>>()

  /** Those that are whole with this piece, and whose turn it is. */
  take(piece: P): P[] {
    const { message_seq: number, msg_type: type, length } = piece
    // A client that got no answer begins again with the same words.
    if (number === 0 && this.#next === 1 && type === clientHello) this.#next = 0
    if (number < this.#next || number >= this.#next + mostAhead || length > longestMessage) return []
    this.#keep(piece)
    const whole: P[] = []
    for (;;) {
      const found = this.#partial.get(this.#next)
      if (!found || found.missing > 0) return whole
      this.#partial.delete(this.#next)
      this.#next += 1
      whole.push(
        Object.assign(found.whole, {
          fragment_offset: 0,
          fragment_length: found.bytes.length,
          fragment: found.bytes,
        }),
      )
    }
  }

  #keep(piece: P): void {
    const { message_seq: number, length, fragment_offset: begin, fragment } = piece
    if (begin + fragment.length > length) return
    const known = this.#partial.get(number)
    const partial = known ?? {
      whole: piece,
      bytes: Buffer.alloc(length),
      isThere: new Uint8Array(length),
      missing: length,
    }
    if (partial.whole.msg_type !== piece.msg_type || partial.bytes.length !== length) return
    this.#partial.set(number, partial)
    for (const [at, byte] of fragment.entries()) {
      if (partial.isThere[begin + at]) continue
      partial.bytes[begin + at] = byte
      partial.isThere[begin + at] = 1
      partial.missing -= 1
    }
  }
}
