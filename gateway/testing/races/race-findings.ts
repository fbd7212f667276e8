/** An answer that no route documents. */
export interface Finding {
  operation: string
  /** What ran at the same moment. */
  among: readonly string[]
  /** What each of them was answered. */
  said: readonly string[]
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

export const sentenceOf = ({ operation, among, said }: Finding) =>
  [`${operation} failed:`, ...among.map((one, at) => `  ${one}: ${said[at]}`)].join('\n')

/** What fetch and ws say. */
const unconnected = new Set(['fetch failed', 'Opening handshake has timed out', 'socket hang up'])

/** Requests and sockets that ended without an answer, by what ended them. A machine that stands still closes some. */
export class Unanswered {
  readonly #counts = new Map<string, number>()

  /** Whether it is the failure of a connection, and so no answer. */
  static is(error: unknown): boolean {
    return unconnected.has(messageOf(error)) || codeOf(error) !== undefined
  }

  add(error: unknown) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
    this.count(codeOf(cause) ?? messageOf(cause))
  }

  count(what: string) {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1)
  }

  /** How often each, in a sentence. */
  get sentence(): string {
    const counts = [...this.#counts].map(([what, times]) => `${times} by ${what}`)
    return counts.length === 0 ? '0 unanswered' : `unanswered: ${counts.join(', ')}`
  }
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^(?:E[A-Z]+|UND_ERR_\w+)$/.test(code) ? code : undefined
}
