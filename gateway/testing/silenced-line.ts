import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to a PostgreSQL whose connections can be silenced, as a firewall does that has forgotten them. */
export interface SilencedLine extends Disposable {
  /** The address of the same database, over this way. */
  url: string
  /** Nothing passes over the connections of now any more, and neither end is told. New ones are as usual. */
  silence: () => void
}

export async function silencedLine(databaseUrl: string): Promise<SilencedLine> {
  const url = new URL(databaseUrl)
  const folder = url.searchParams.get('host')
  const port = Number(url.port || 5432)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = folder ? connect(`${folder}/.s.PGSQL.${port}`) : connect(port, url.hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('data', (data: Buffer) => void (isSilenced.has(near) || other.write(data)))
      socket.on('close', () => {
        sockets.delete(socket)
        if (!isSilenced.has(near)) other.destroy()
      })
    }
  })
  const isSilenced = new WeakSet<Socket>()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const over = new URL(databaseUrl)
  over.searchParams.delete('host')
  over.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: over.href,
    silence() {
      for (const socket of sockets) isSilenced.add(socket)
    },
    [Symbol.dispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
