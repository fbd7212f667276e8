import { closeTogether, pipeBoth, startPostgresProxy, type PostgresProxy } from './postgres-proxy.ts'

/** On the way to PostgreSQL: counts the statements that pass. */
export class CountingProxy implements Disposable {
  statements = 0
  #proxy: PostgresProxy | undefined

  static async start(databaseUrl: string): Promise<CountingProxy> {
    const counting = new CountingProxy()
    counting.#proxy = await startPostgresProxy(databaseUrl, (client, server) => {
      const messages = new Messages()
      client.on('data', (chunk: Buffer) => (counting.statements += messages.statementsIn(chunk)))
      pipeBoth(client, server)
      closeTogether(client, server)
    })
    return counting
  }

  get url(): string {
    return this.#proxy?.url ?? ''
  }

  [Symbol.dispose]() {
    this.#proxy?.close()
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
