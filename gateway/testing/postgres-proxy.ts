import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface PostgresProxy {
  /** The same database, over the proxy. */
  url: string
  close: () => void
}

/** On the way to a PostgreSQL: every client gets a connection to the database, and `join` says what passes between them. */
export async function startPostgresProxy(
  databaseUrl: string,
  join: (client: Socket, server: Socket) => void,
): Promise<PostgresProxy> {
  const to = new URL(databaseUrl)
  const folder = to.searchParams.get('host')
  const port = Number(to.port || 5432)
  const sockets = new Set<Socket>()
  const listener = createServer((client) => {
    const server = folder ? connect(`${folder}/.s.PGSQL.${port}`) : connect(port, to.hostname)
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    join(client, server)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  to.searchParams.delete('host')
  to.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`
  return {
    url: to.href,
    close() {
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** What one side sends reaches the other, until either is gone. */
export function pipeBoth(client: Socket, server: Socket): void {
  client.pipe(server)
  server.pipe(client)
}

export function closeTogether(client: Socket, server: Socket): void {
  for (const socket of [client, server]) socket.on('close', () => (client.destroy(), server.destroy()))
}
