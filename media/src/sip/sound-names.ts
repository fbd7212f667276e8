import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { SipMessage } from './message.ts'

/** Asks for the address of a name; rejects if there is none. */
export type FindAddress = (name: string, family: 4 | 6) => Promise<string>

const withinMs = 2_000
const keptMs = 60_000
const mostKept = 1_000
/** Messages that wait for names, of all calls together. */
const mostWaiting = 500
/** One for the session and one for its sound. */
const mostNames = 2
const connection = /^c=IN IP([46]) ([a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?)(?=\r?$)/gim

const findAddress: FindAddress = async (name, family) => (await lookup(name, { family })).address

/**
 * Finds the addresses of names that far ends write into their SDP, before anything reads it. A name that has none, or
 * not in time, stays where it is, and the SDP is refused for it. What comes of the same call meanwhile waits its turn.
 */
export class SoundNames {
  readonly #find: FindAddress
  /** By call: the message that came last, and how many there are. */
  readonly #waiting = new Map<string, { last: Promise<void>; count: number }>()
  readonly #kept = new Map<string, { address: Promise<string | null>; untilMs: number }>()
  #waitingTotal = 0

  constructor(find: FindAddress = findAddress) {
    this.#find = find
  }

  /** Hands on the message with addresses for names, at once if it has none. */
  resolve(message: SipMessage, take: (message: SipMessage) => void): void {
    const names = namesIn(message.body)
    const before = this.#waiting.get(message.callId)
    if ((names.length === 0 && !before) || this.#waitingTotal >= mostWaiting) return take(message)
    this.#waitingTotal += 1
    const last = this.#handOn(message, names, before?.last, take)
    this.#waiting.set(message.callId, { last, count: (before?.count ?? 0) + 1 })
  }

  async #handOn(
    message: SipMessage,
    names: readonly NamedPlace[],
    before: Promise<void> | undefined,
    take: (message: SipMessage) => void,
  ): Promise<void> {
    let { body } = message
    for (const { line, name, family } of names) {
      const address = await this.#addressOf(name, family)
      if (address !== null) body = body.replaceAll(line, `c=IN IP${family} ${address}`)
    }
    await before
    this.#leave(message.callId)
    take({ ...message, body })
  }

  #leave(callId: string): void {
    this.#waitingTotal -= 1
    const waiting = this.#waiting.get(callId)
    if (waiting) waiting.count -= 1
    if (waiting?.count === 0) this.#waiting.delete(callId)
  }

  #addressOf(name: string, family: 4 | 6): Promise<string | null> {
    const key = `${family} ${name.toLowerCase()}`
    const known = this.#kept.get(key)
    if (known && known.untilMs > performance.now()) return known.address
    const address = within(this.#find(name, family))
    this.#kept.delete(key)
    this.#kept.set(key, { address, untilMs: performance.now() + keptMs })
    if (this.#kept.size > mostKept) this.#kept.delete(this.#kept.keys().next().value ?? key)
    return address
  }
}

interface NamedPlace {
  line: string
  name: string
  family: 4 | 6
}

const namesIn = (body: string): NamedPlace[] =>
  body.includes('c=IN IP')
    ? [...body.matchAll(connection)]
        .filter(([, , name = '']) => isIP(name) === 0 && /[a-z]/i.test(name))
        .slice(0, mostNames)
        .map(([line, family, name = '']) => ({ line, name, family: family === '6' ? 6 : 4 }))
    : []

async function within(found: Promise<string>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), withinMs)
  })
  const address = await Promise.race([found.catch(() => null), late])
  clearTimeout(timer)
  return address
}
