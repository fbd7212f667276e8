import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Where to listen, and the settings that say so. */
export interface ListenAddress {
  host: string
  port: number
  setting: string
  hostSetting: string
}

/** What Fastify makes. */
export interface ListeningServer {
  readonly server: Server
  listen(at: { host: string; port: number }): Promise<unknown>
  close(): Promise<unknown>
}

interface ListenCause {
  code?: string
  address?: string
  hostname?: string
  port?: number
}

type SystemError = Error & ListenCause & { errors?: SystemError[] }

/** A port that could not be opened; the message says which setting to change. */
export class ListenError extends Error {
  readonly isPortTaken: boolean

  constructor(at: ListenAddress, cause: SystemError) {
    const first = cause.errors?.[0] ?? cause // a name with several addresses fails once for each
    super(listenFailure(at, first), { cause })
    this.isPortTaken = first.code === 'EADDRINUSE'
  }
}

/** Says why an address could not be listened on, and what to change. */
export function listenFailure(at: ListenAddress, { code, address, hostname, port }: ListenCause): string {
  if (code === 'EADDRINUSE')
    return `port ${port ?? at.port} on ${address ?? at.host} is taken: stop what listens there, or set ${at.setting}`
  if (code === 'EACCES')
    return `port ${port ?? at.port} may not be opened by this user: set ${at.setting} to 1024 or above`
  return `nothing can listen on ${address ?? hostname ?? at.host}: set ${at.hostSetting} to an address of this machine`
}

/** The HTTP ports that a process has open. */
export class Listeners {
  readonly #servers: ListeningServer[] = []

  /** Returns the port, which differs from the one asked for if that is 0. */
  async open(server: ListeningServer, at: ListenAddress): Promise<number> {
    await server.listen({ host: at.host, port: at.port }).catch((error: Error) => {
      throw new ListenError(at, error)
    })
    this.#servers.push(server)
    return (server.server.address() as AddressInfo).port
  }

  /** Accepts nothing new, waits for requests under way, and cuts off those that take longer than the grace. */
  async close(graceMs: number): Promise<void> {
    await Promise.all(this.#servers.map((server) => closeWithin(server, graceMs)))
  }
}

async function closeWithin(server: ListeningServer, graceMs: number) {
  const idle = setInterval(() => server.server.closeIdleConnections(), 50) // as soon as their last response is sent
  const cutOff = setTimeout(() => server.server.closeAllConnections(), graceMs)
  await server.close()
  clearInterval(idle)
  clearTimeout(cutOff)
}
