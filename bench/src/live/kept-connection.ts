import { connect, type Socket } from 'node:net'

export interface Answered {
  status: number
  body: string
}

interface Asked {
  answer: (answered: Answered) => void
  fail: (error: Error) => void
}

const headEnd = '\r\n\r\n'

/** As many HTTP connections to a gateway as requests are under way, kept for the next ones. */
export class KeptConnections {
  readonly #url: URL
  readonly #idle: KeptConnection[] = []

  constructor(url: URL) {
    this.#url = url
  }

  async ask(method: string, path: string, key: string, body: string): Promise<Answered> {
    const connection = this.#idle.pop() ?? new KeptConnection(this.#url)
    const answered = await connection.ask(
      `${method} ${path} HTTP/1.1\r\nhost: ${this.#url.host}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}${headEnd}${body}`,
    )
    this.#idle.push(connection)
    return answered
  }
}

/** With as little of the client's time as possible: one request after the other, and answers that say how long they are. */
class KeptConnection {
  readonly #socket: Socket
  #asked: Asked | undefined
  #unread = ''

  constructor(url: URL) {
    this.#socket = connect(Number(url.port), url.hostname)
    this.#socket.setNoDelay(true).setEncoding('latin1')
    this.#socket.on('data', (piece: string) => this.#read(piece))
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () => this.#fail(new Error('the connection was closed')))
  }

  ask(request: string): Promise<Answered> {
    return new Promise((answer, fail) => {
      this.#asked = { answer, fail }
      this.#socket.write(request)
    })
  }

  #read(piece: string) {
    this.#unread += piece
    const end = this.#unread.indexOf(headEnd)
    if (end < 0) return
    const head = this.#unread.slice(0, end)
    const from = end + headEnd.length
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
    if (this.#unread.length < from + length) return
    const body = this.#unread.slice(from, from + length)
    this.#unread = ''
    this.#asked?.answer({ status: Number(head.slice(9, 12)), body })
    this.#asked = undefined
  }

  #fail(error: Error) {
    this.#asked?.fail(error)
    this.#asked = undefined
  }
}
