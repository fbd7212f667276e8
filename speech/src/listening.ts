import type { AddressInfo } from 'node:net'
import type { Server } from './server.ts'

/** Answers the port, for 0 is any free one. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  await server.listen({ host, port }).catch((error: Error & { code?: string }) => {
    throw new Error(whyNot(error.code, host, port), { cause: error })
  })
  return (server.server.address() as AddressInfo).port
}

function whyNot(code: string | undefined, host: string, port: number): string {
  if (code === 'EADDRINUSE')
    return `port ${port} on ${host} is taken: stop what listens there, or set SVC_VOICE_PORT`
  if (code === 'EACCES')
    return `port ${port} may not be opened by this user: set SVC_VOICE_PORT to 1024 or above`
  return `nothing can listen on ${host}: set SVC_HOST to an address of this machine`
}

/** Takes nothing new, lets what runs finish, and cuts off what takes longer than the grace. */
export async function closeWithin(server: Server, graceMs: number): Promise<void> {
  const idle = setInterval(() => server.server.closeIdleConnections(), 50) // as soon as their last answer left
  const lastCall = setTimeout(() => server.server.closeAllConnections(), graceMs)
  await server.close()
  clearInterval(idle)
  clearTimeout(lastCall)
}
