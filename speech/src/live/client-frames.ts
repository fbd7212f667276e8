import { badRequest, Refusal } from '../foundation/refusals.ts'

const most = 100
const withinMs = 10_000

export type ClientFrame = 'finalize' | 'stop'

/** A client's text frames, rate limited. */
export class ClientFrames {
  readonly #times: number[] = []

  read(text: string): ClientFrame {
    this.#count()
    const type = typeOf(text)
    if (type === 'finalize' || type === 'stop') return type
    throw badRequest('a text frame is {"type": "finalize"} or {"type": "stop"}')
  }

  #count() {
    const now = performance.now()
    this.#times.push(now)
    while ((this.#times[0] ?? now) < now - withinMs) this.#times.shift()
    if (this.#times.length > most)
      throw new Refusal(
        429,
        'RATE_LIMITED',
        `more than ${most} text frames came within ${withinMs / 1_000} seconds`,
      )
  }
}

function typeOf(text: string): unknown {
  try {
    const frame: unknown = JSON.parse(text)
    return typeof frame === 'object' && frame !== null && 'type' in frame ? frame.type : undefined
  } catch {
    return undefined
  }
}
