import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** On the way to PostgreSQL: counts the statements that pass. */
export class CountingProxy implements AsyncDisposable {
  statements = 0
  readonly #listener: Server
  readonly #to: URL
  readonly #sockets = new Set<Socket>()

  private constructor(to: URL) {
    this.#to = to
    this.#listener = createServer((client) => this.#join(client))
  }

  static async start(databaseUrl: string): Promise<CountingProxy> {
    const proxy = new CountingProxy(new URL(databaseUrl))
    proxy.#listener.listen(0, '127.0.0.1')
    await once(proxy.#listener, 'listening')
    return proxy
  }

  get url(): string {
    const url = new URL(this.#to)
    url.hostname = '127.0.0.1'
    url.port = String((this.#listener.address() as AddressInfo).port)
    url.searchParams.delete('host')
    return url.href
  }

  async [Symbol.asyncDispose]() {
    for (const socket of this.#sockets) socket.destroy()
    this.#listener.close()
    await once(this.#listener, 'close')
  }

  #join(client: Socket) {
    const host = this.#to.searchParams.get('host')
    const port = Number(this.#to.port || 5432)
    const server = host?.startsWith('/')
      ? connect(`${host}/.s.PGSQL.${port}`)
      : connect(port, this.#to.hostname)
    const messages = new Messages()
    client.on('data', (chunk) => (this.statements += messages.statementsIn(chunk)))
    client.pipe(server)
    server.pipe(client)
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => (client.destroy(), server.destroy()))
    }
  }
}

/** What a client sends: a start without a type, then messages with a type and their length. */
class Messages {
  #bytes: Buffer = Buffer.alloc(0)
  #isStarted = false

  statementsIn(chunk: Buffer): number {
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    let statements = 0
    for (;;) {
      const typed = this.#isStarted ? 1 : 0
      if (this.#bytes.length < typed + 4) return statements
      const size = this.#bytes.readInt32BE(typed)
      if (this.#bytes.length < typed + size) return statements
      const type = this.#isStarted ? String.fromCharCode(this.#bytes[0] ?? 0) : ''
      // a simple query with text, or the execution of a prepared one
      if (type === 'E' || (type === 'Q' && size > 5)) statements += 1
      this.#bytes = this.#bytes.subarray(typed + size)
      this.#isStarted = true
    }
  }
}
