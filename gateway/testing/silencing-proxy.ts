import type { Socket } from 'node:net'
import { closeTogether, pipeBoth, startPostgresProxy, type PostgresProxy } from './postgres-proxy.ts'

interface Pair {
  client: Socket
  server: Socket
  /** What the client sent first, which names its program. */
  opening: string
}

/** A network on the way to PostgreSQL that can go silent for one program: its connections stay open and carry nothing. */
export class SilencingProxy implements Disposable {
  readonly #pairs = new Set<Pair>()
  #proxy: PostgresProxy | undefined
  #silenced: string | undefined

  static async start(databaseUrl: string): Promise<SilencingProxy> {
    const silencing = new SilencingProxy()
    silencing.#proxy = await startPostgresProxy(databaseUrl, (client, server) =>
      silencing.#join(client, server),
    )
    return silencing
  }

  get url(): string {
    return this.#proxy?.url ?? ''
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

  [Symbol.dispose]() {
    this.#proxy?.close()
  }

  #join(client: Socket, server: Socket) {
    const pair = { client, server, opening: '' }
    this.#pairs.add(pair)
    client.once('data', (first: Buffer) => {
      pair.opening = first.toString('latin1')
      if (this.#silenced !== undefined && pair.opening.includes(this.#silenced)) return mute(pair)
      server.write(first)
      pipeBoth(client, server)
    })
    closeTogether(client, server)
    client.on('close', () => this.#pairs.delete(pair))
  }
}

function mute({ client, server }: Pair) {
  client.unpipe()
  server.unpipe()
  client.pause()
  server.pause()
}
