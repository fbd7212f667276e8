import type { PageEvent } from '@switchroom/contract/browser-calls'
import type { CallGateway } from './gateway.ts'

const againMs = 1000

/** Reads the call's events until it has ended, resuming after a lost connection. */
export async function readPageEvents(
  gateway: Pick<CallGateway, 'events'>,
  onEvent: (event: PageEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const reader = new EventReader(onEvent)
  while (!signal.aborted && !reader.hasEnded) {
    try {
      const response = await gateway.events(reader.lastEventId, signal)
      if (response.status === 401 || response.status === 404) return // the token is no longer known: the call is over
      if (response.ok && response.body) await reader.readAll(response.body)
    } catch {
      // the connection was lost
    }
    if (!signal.aborted && !reader.hasEnded) await new Promise((resolve) => void setTimeout(resolve, againMs))
  }
}

/** Reads server-sent events out of any pieces. */
export class EventReader {
  readonly #onEvent: (event: PageEvent) => void
  #text = ''
  #lastEventId: string | undefined
  #hasEnded = false

  constructor(onEvent: (event: PageEvent) => void) {
    this.#onEvent = onEvent
  }

  get lastEventId(): string | undefined {
    return this.#lastEventId
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  async readAll(body: ReadableStream<Uint8Array>): Promise<void> {
    const pieces = body.getReader()
    const decoder = new TextDecoder()
    this.#text = ''
    for (let piece = await pieces.read(); !piece.done; piece = await pieces.read())
      this.take(decoder.decode(piece.value, { stream: true }))
  }

  take(piece: string): void {
    const frames = (this.#text + piece).split('\n\n')
    this.#text = frames.pop() ?? ''
    for (const frame of frames) this.#read(frame)
  }

  #read(frame: string): void {
    const fields = new Map(
      frame.split('\n').map((line) => {
        const at = line.indexOf(': ')
        return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 2)]
      }),
    )
    const data = fields.get('data')
    if (data === undefined || fields.get('event')?.startsWith('log.')) return // a ping, or a marker about the log
    this.#lastEventId = fields.get('id') ?? this.#lastEventId
    const event = JSON.parse(data) as PageEvent
    this.#hasEnded ||= event.type === 'call.ended'
    this.#onEvent(event)
  }
}
