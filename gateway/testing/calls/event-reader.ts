import { once } from 'node:events'
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { until } from '../until.ts'

/** An event as it came over the wire; tests read fields of data whose shape they are there to prove. */
export interface CameEvent {
  id: string | undefined
  event: string | undefined
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any
}

/** Reads a stream of events over a connection of its own, byte by byte. */
export class EventReader implements Disposable {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly events: CameEvent[] = []
  /** Everything that came. */
  raw = ''
  /** Whether the stream was ended by the other side, and whole. */
  isEnded = false
  isClosed = false
  readonly #response: IncomingMessage
  readonly #cutAfter: number
  #unread = ''

  constructor(response: IncomingMessage, cutAfter: number) {
    this.#response = response
    this.#cutAfter = cutAfter
    this.status = response.statusCode ?? 0
    this.headers = response.headers
    response.setEncoding('utf8')
    response.on('data', (piece: string) => this.#take(piece))
    response.on('end', () => (this.isEnded = true))
    response.on('error', () => {})
    response.on('close', () => (this.isClosed = true))
  }

  /** Cut after so many characters, wherever that is in an event, as a lost connection would. */
  static async open(
    url: string,
    headers: Record<string, string>,
    cutAfter = Number.POSITIVE_INFINITY,
  ): Promise<EventReader> {
    const asked = request(url, { headers: { accept: 'text/event-stream', ...headers }, agent: false })
    asked.end()
    const [response] = await once(asked, 'response')
    return new EventReader(response, cutAfter)
  }

  /** Entries that are kept, in the order they came. */
  get seqs(): number[] {
    return this.events.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]))
  }

  get types(): (string | undefined)[] {
    return this.events.map(({ event }) => event)
  }

  find(event: string): CameEvent | undefined {
    return this.events.find((came) => came.event === event)
  }

  came(event: string): Promise<CameEvent> {
    return until(`${event} comes`, () => this.find(event))
  }

  ended(): Promise<boolean> {
    return until('the stream ends', () => this.isEnded)
  }

  /** Takes nothing from the socket until it is resumed. */
  pause() {
    this.#response.pause()
    this.#response.socket.pause()
  }

  resume() {
    this.#response.resume()
    this.#response.socket.resume()
  }

  [Symbol.dispose]() {
    this.#response.destroy()
  }

  #take(came: string) {
    const piece = came.slice(0, this.#cutAfter - this.raw.length)
    this.raw += piece
    if (this.raw.length >= this.#cutAfter) this.#response.destroy()
    const blocks = (this.#unread + piece).split('\n\n')
    this.#unread = blocks.pop() ?? ''
    for (const block of blocks) if (!block.startsWith(':')) this.events.push(eventOf(block))
  }
}

function eventOf(block: string): CameEvent {
  const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]))
  return { id: fields.get('id'), event: fields.get('event'), data: JSON.parse(fields.get('data') ?? 'null') }
}
