import type { Socket } from 'node:net'
import { startPostgresProxy } from './postgres-proxy.ts'

/** A way to a PostgreSQL whose connections can be silenced, as a firewall does that has forgotten them. */
export interface SilencedLine extends Disposable {
  /** The address of the same database, over this way. */
  url: string
  /** Nothing passes any more over the connections that are open at this moment, and neither end notices. New ones carry. */
  silence: () => void
}

export async function silencedLine(databaseUrl: string): Promise<SilencedLine> {
  const open = new Set<Socket>()
  const silenced = new WeakSet<Socket>()
  const { url, close } = await startPostgresProxy(databaseUrl, (client, server) => {
    open.add(client)
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('data', (data: Buffer) => void (silenced.has(client) || other.write(data)))
      socket.on('close', () => {
        open.delete(client)
        if (!silenced.has(client)) other.destroy()
      })
    }
  })
  return {
    url,
    silence() {
      for (const client of open) silenced.add(client)
    },
    [Symbol.dispose]: close,
  }
}
