/** A line of JSON; if it has `bytes`, that many raw bytes follow the line. */
export interface Message {
  type: string
  id?: number
  bytes?: number
  [field: string]: unknown
}

export const lineOf = (message: Message) => `${JSON.stringify(message)}\n`

/** The line and what follows it, for one write instead of two. */
export const frameOf = (message: Message, bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(lineOf({ ...message, bytes: bytes.length })), bytes])

const lineFeed = 0x0a

/** Puts messages together from what a pipe delivers. */
export class MessageReader {
  #unread: Buffer = Buffer.alloc(0)
  #waiting: Message | undefined;

  *read(chunk: Buffer): Iterable<{ message: Message; bytes: Uint8Array }> {
    this.#unread = this.#unread.length > 0 ? Buffer.concat([this.#unread, chunk]) : chunk
    for (let message = this.#header(); message; message = this.#header()) {
      const length = message.bytes ?? 0
      if (this.#unread.length < length) return
      this.#waiting = undefined
      yield { message, bytes: this.#take(length) }
    }
  }

  #header(): Message | undefined {
    if (this.#waiting) return this.#waiting
    const end = this.#unread.indexOf(lineFeed)
    if (end === -1) return undefined
    this.#waiting = JSON.parse(this.#take(end + 1).toString('utf8')) as Message
    return this.#waiting
  }

  #take(length: number): Buffer {
    const taken = this.#unread.subarray(0, length)
    this.#unread = this.#unread.subarray(length)
    return taken
  }
}
