/** What Redis answers in RESP3, as far as a client of notices reads it: a map is a list of its keys and values. */
export type RedisValue = string | number | null | RedisError | RedisValue[] | RedisPush

/** Not the answer to a command: it comes by itself. */
export interface RedisPush {
  pushed: RedisValue[]
}

export class RedisError extends Error {}

/** No answer to what a gateway asks is longer, nor nested deeper. */
const longestValue = 1024 * 1024
const deepest = 8

export function commandOf(words: readonly string[]): string {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
  return `*${words.length}\r\n${parts.join('')}`
}

interface Parsed<T> {
  value: T
  /** Where the next value begins. */
  end: number
}

/** Reads values from bytes as they come. Throws on what is not RESP3 or has no end. */
export class RedisParser {
  #bytes: Buffer = Buffer.alloc(0)

  read(chunk: Buffer): RedisValue[] {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
    const values: RedisValue[] = []
    let at = 0
    for (let parsed = this.#value(at); parsed; parsed = this.#value(at)) {
      values.push(parsed.value)
      at = parsed.end
    }
    this.#bytes = this.#bytes.subarray(at)
    if (this.#bytes.length > longestValue) throw new RedisError('Redis sent more than any answer needs')
    return values
  }

  #value(at: number, depth = 0): Parsed<RedisValue> | undefined {
    const line = this.#line(at)
    if (!line || depth > deepest) {
      if (depth > deepest) throw new RedisError('Redis sent an answer that is nested too deep')
      return undefined
    }
    const { value: text, end } = line
    const rest = text.slice(1)
    switch (text[0]) {
      case '+':
      case '(':
      case ',':
      case '#':
        return { value: rest, end }
      case '-':
        return { value: new RedisError(rest), end }
      case ':':
        return { value: Number(rest), end }
      case '_':
        return { value: null, end }
      case '$':
      case '=':
      case '!':
        return this.#bulk(countIn(rest), end)
      case '*':
      case '~':
        return rest === '-1' ? { value: null, end } : this.#list(countIn(rest), end, depth)
      case '%':
        return this.#list(2 * countIn(rest), end, depth)
      case '>': {
        const list = this.#list(countIn(rest), end, depth)
        return list && { value: { pushed: list.value }, end: list.end }
      }
      default:
        throw new RedisError('what answers does not speak RESP3')
    }
  }

  #line(at: number): Parsed<string> | undefined {
    const end = this.#bytes.indexOf('\r\n', at)
    return end < 0 ? undefined : { value: this.#bytes.toString('utf8', at, end), end: end + 2 }
  }

  #bulk(length: number, at: number): Parsed<string | null> | undefined {
    if (length < 0) return { value: null, end: at }
    const end = at + length
    return this.#bytes.length < end + 2
      ? undefined
      : { value: this.#bytes.toString('utf8', at, end), end: end + 2 }
  }

  #list(count: number, at: number, depth: number): Parsed<RedisValue[]> | undefined {
    const value: RedisValue[] = []
    let end = at
    for (let n = 0; n < count; n += 1) {
      const item = this.#value(end, depth + 1)
      if (!item) return undefined
      value.push(item.value)
      end = item.end
    }
    return { value, end }
  }
}

function countIn(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < -1 || count > longestValue)
    throw new RedisError('Redis sent a length that no answer has')
  return count
}
