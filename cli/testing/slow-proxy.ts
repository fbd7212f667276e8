import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface SlowProxy extends AsyncDisposable {
  url: string
}

/** In front of a gateway: everything that it says comes so much later. */
export async function startSlowProxy(gatewayUrl: string, laterMs: number): Promise<SlowProxy> {
  const { hostname, port } = new URL(gatewayUrl)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const gateway = connect(Number(port), hostname)
    for (const [one, other] of [
      [client, gateway],
      [gateway, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    client.on('data', (piece) => void gateway.write(piece))
    gateway.on('data', (piece) => setTimeout(() => client.destroyed || client.write(piece), laterMs))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
