import { connect, type Socket } from 'node:net'

interface StreamWatch {
  /** An entry came, in its order. */
  onEntry: (seq: number) => void
  /** What a reader must never see. */
  onFault: (fault: string) => void
}

/** Reads the live log of a call, and looks that every entry comes once and in order. */
export class LogStream {
  readonly caughtUp: Promise<void>
  readonly #socket: Socket
  readonly #watch: StreamWatch
  #caughtUp = () => {}
  #unread = ''
  #seen = 0

  constructor(url: URL, key: string, call: string, watch: StreamWatch) {
    this.#watch = watch
    this.caughtUp = new Promise((resolve) => (this.#caughtUp = resolve))
    this.#socket = connect(Number(url.port), url.hostname)
    this.#socket.setEncoding('latin1')
    this.#socket.write(
      `GET /v1/calls/${call}/events HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${key}\r\naccept: text/event-stream\r\n\r\n`,
    )
    this.#socket.on('data', (piece: string) => this.#read(piece))
    this.#socket.on('error', (error) => watch.onFault(error.message))
    this.#socket.on('close', () => watch.onFault('a stream was closed'))
  }

  /** The last entry that it has. */
  get seen(): number {
    return this.#seen
  }

  #read(piece: string) {
    const blocks = (this.#unread + piece).split('\n\n')
    this.#unread = blocks.pop() ?? ''
    for (const block of blocks) {
      const seq = Number(/\nid: (\d+)\n/.exec(block)?.[1]) // behind the length of the chunk
      if (seq) this.#take(seq)
      else if (block.includes('event: log.caught_up')) this.#caughtUp()
      else if (block.includes('event: log.gap')) this.#watch.onFault('a gap')
    }
  }

  #take(seq: number) {
    if (seq !== this.#seen + 1) this.#watch.onFault(`entry ${seq} came after ${this.#seen}`)
    this.#seen = seq
    this.#watch.onEntry(seq)
  }
}
