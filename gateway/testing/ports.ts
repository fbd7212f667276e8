import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'

/** One that no program listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

export async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const { promise, resolve } = Promise.withResolvers<boolean>()
  socket.once('connect', () => resolve(true))
  socket.once('error', () => resolve(false))
  const open = await promise
  socket.destroy()
  return open
}
