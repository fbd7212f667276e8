import { header, type Headers, type SipRequest, wordsOf } from './message.ts'
import { readParams } from './syntax.ts'

/** How long a session lasts without a refresh (RFC 4028). */
export interface Refreshing {
  seconds: number
  isOurs: boolean
  /** Whether the far end knows of it, or something on the way asked. */
  isKnown: boolean
}

export const shortestSessionS = 90

/** What a request asks for; null if it asks for nothing. */
export function readRefreshing(request: SipRequest): Refreshing | null {
  const [said = '', ...params] = (header(request, 'session-expires') ?? '').split(';')
  if (!/^\d{1,9}$/.test(said.trim())) return null
  const isKnown =
    wordsOf(request, 'supported').includes('timer') || wordsOf(request, 'require').includes('timer')
  const refresher = readParams(params.join(';')).get('refresher')?.toLowerCase()
  return { seconds: Number(said), isOurs: !isKnown || refresher === 'uas', isKnown }
}

/** How an answer agrees. */
export const agreeing = ({ seconds, isOurs, isKnown }: Refreshing): Headers => [
  ['session-expires', `${seconds};refresher=${isOurs ? 'uas' : 'uac'}`],
  ...(isKnown ? [['require', 'timer'] as const] : []),
]

/** Refreshes in time, or reports that no refresh came. */
export class SessionTimer {
  readonly #onDue: () => void
  readonly #onExpired: () => void
  #timer: NodeJS.Timeout | undefined
  #refreshing: Refreshing | null = null

  constructor(onDue: () => void, onExpired: () => void) {
    this.#onDue = onDue
    this.#onExpired = onExpired
  }

  /** For a refresh of our own. */
  get headers(): Headers {
    if (!this.#refreshing) return []
    return [
      ['session-expires', `${this.#refreshing.seconds};refresher=${this.#refreshing.isOurs ? 'uac' : 'uas'}`],
      ['supported', 'timer'],
    ]
  }

  start(refreshing: Refreshing | null): void {
    this.#refreshing = refreshing
    this.restart()
  }

  restart(): void {
    this.stop()
    if (!this.#refreshing) return
    const { seconds, isOurs } = this.#refreshing
    if (isOurs) this.#timer = setTimeout(this.#onDue, timerMs(seconds / 2))
    else this.#timer = setTimeout(this.#onExpired, timerMs(seconds - Math.min(32, seconds / 3)))
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}

const timerMs = (seconds: number) => Math.min(seconds * 1_000, 2 ** 31 - 1)
