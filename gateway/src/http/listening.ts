import type { AddressInfo } from 'node:net'
import type { Server } from './server.ts'

/** Where a server listens, and the settings that say so. */
export interface Listening {
  host: string
  port: number
  setting: string
  hostSetting: string
}

/** A port that could not be opened, with the setting that names it. */
export class ListenFailure extends Error {
  readonly setting: string
  readonly hostSetting: string
  override readonly cause: Error

  constructor({ setting, hostSetting }: Listening, cause: Error) {
    super(cause.message)
    this.setting = setting
    this.hostSetting = hostSetting
    this.cause = cause
  }
}

/** The ports that a process has open. */
export class Listeners {
  readonly #servers: Server[] = []

  /** Answers the port, for 0 is any free one. */
  async open(server: Server, at: Listening): Promise<number> {
    await server.listen({ host: at.host, port: at.port }).catch((error: Error) => {
      throw new ListenFailure(at, error)
    })
    this.#servers.push(server)
    return (server.server.address() as AddressInfo).port
  }

  /** Takes nothing new, lets what runs finish, and cuts off what takes longer than the grace. */
  async close(graceMs: number): Promise<void> {
    await Promise.all(this.#servers.map((server) => closeWithin(server, graceMs)))
  }
}

async function closeWithin(server: Server, graceMs: number) {
  const idle = setInterval(() => server.server.closeIdleConnections(), 50) // as soon as their last answer left
  const lastCall = setTimeout(() => server.server.closeAllConnections(), graceMs)
  await server.close()
  clearInterval(idle)
  clearTimeout(lastCall)
}
