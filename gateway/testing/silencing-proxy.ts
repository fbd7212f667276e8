import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

interface Pair {
  client: Socket
  server: Socket
  /** What the client sent first, which names its program. */
  opening: string
}

/** A network on the way to PostgreSQL that can go silent: connections stay open and carry nothing. */
export class SilencingProxy implements AsyncDisposable {
  readonly #listener: Server
  readonly #pairs = new Set<Pair>()
  readonly #to: URL
  #silenced: string | undefined

  private constructor(to: URL) {
    this.#to = to
    this.#listener = createServer((client) => this.#join(client))
  }

  static async start(databaseUrl: string): Promise<SilencingProxy> {
    const proxy = new SilencingProxy(new URL(databaseUrl))
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

  /** The connections of one program that are open now; new ones too, until `carryOn`. */
  silence(program: string) {
    this.#silenced = program
    for (const pair of this.#pairs) if (pair.opening.includes(program)) mute(pair)
  }

  /** New connections carry again; silenced ones stay silent. */
  carryOn() {
    this.#silenced = undefined
  }

  async [Symbol.asyncDispose]() {
    for (const { client, server } of this.#pairs) {
      client.destroy()
      server.destroy()
    }
    this.#listener.close()
    await once(this.#listener, 'close')
  }

  #join(client: Socket) {
    const host = this.#to.searchParams.get('host')
    const port = Number(this.#to.port || 5432)
    const server = host?.startsWith('/')
      ? connect(`${host}/.s.PGSQL.${port}`)
      : connect(port, this.#to.hostname)
    const pair = { client, server, opening: '' }
    this.#pairs.add(pair)
    client.once('data', (first) => {
      pair.opening = first.toString('latin1')
      if (this.#silenced !== undefined && pair.opening.includes(this.#silenced)) return mute(pair)
      server.write(first)
      client.pipe(server)
      server.pipe(client)
    })
    for (const socket of [client, server]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        server.destroy()
        this.#pairs.delete(pair)
      })
    }
  }
}

function mute({ client, server }: Pair) {
  client.unpipe()
  server.unpipe()
  client.pause()
  server.pause()
}
