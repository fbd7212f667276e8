import type { SipMessage } from './message.ts'
import { bodyLength, type Head, limits, makeMessage, MalformedMessage, readHead } from './parser.ts'

/** Cuts a connection's bytes into messages. Throws `MalformedMessage` if it cannot find the next one. */
export class MessageStream {
  #waiting: Buffer = Buffer.alloc(0)
  #head: Head | null = null

  /** Whether a message has begun that has not ended. */
  get isAmid(): boolean {
    return this.#waiting.length > 0
  }

  /** `ping` is the blank lines that keep a connection open, `pong` the one that answers them. */
  *read(bytes: Buffer): Generator<SipMessage | 'ping' | 'pong'> {
    this.#waiting = this.#waiting.length === 0 ? bytes : Buffer.concat([this.#waiting, bytes])
    for (;;) {
      if (!this.#head) yield* this.#skipBlankLines()
      if (this.#waiting.length === 0) return
      this.#head ??= readHead(this.#waiting)
      if (!this.#head) return
      const length = bodyLength(this.#head)
      if (length === null) throw new MalformedMessage('no Content-Length')
      if (length > limits.bodyBytes) throw new MalformedMessage('the body is too long')
      const end = this.#head.end + length
      if (this.#waiting.length < end) return
      const message = makeMessage(this.#head, this.#waiting.subarray(this.#head.end, end), null)
      this.#waiting = this.#waiting.subarray(end)
      this.#head = null
      yield message
    }
  }

  *#skipBlankLines(): Generator<'ping' | 'pong'> {
    let at = 0
    while (this.#waiting[at] === 13 && this.#waiting[at + 1] === 10) at += 2
    this.#waiting = this.#waiting.subarray(at)
    if (at > 0) yield at >= 4 ? 'ping' : 'pong'
  }
}
