import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectSecure, type SecureContext } from 'node:tls'

const keepAliveMs = 60_000
const mostSessions = 100

/** Sessions of TLS that the next connection to the same name resumes. */
const sessions = new Map<string, Buffer>()

/** Where a connection is opened to: what a URL says of it. */
export interface Place {
  protocol: string
  /** Without the brackets of an IPv6 address. */
  hostname: string
  port: string
  /** The name that the certificate must have, if it is not the host's. */
  servername?: string | null | undefined
}

export interface Dialling {
  timeoutMs: number
  /** Default: the usual lookup. */
  lookup?: LookupFunction
  /** Default: the roots that this process trusts. */
  secureContext?: SecureContext
}

export const placeOf = ({ protocol, hostname, port }: URL): Place => ({
  protocol,
  hostname: hostname.replace(/^\[|\]$/g, ''),
  port,
})

/** The name of a place: the same for all connections that a request to it may use. */
export const nameOf = ({ protocol, hostname, port }: Place): string =>
  `${protocol}//${hostname}:${port || usualPort(protocol)}`

const isSecure = (protocol: string) => protocol === 'https:'
const usualPort = (protocol: string) => (isSecure(protocol) ? 443 : 80)

/** Opens a connection for HTTP/1.1, with TLS and the name checked if the place is asked over https. */
export async function dial(place: Place, { timeoutMs, ...how }: Dialling): Promise<Socket> {
  const { protocol, hostname: host } = place
  const port = Number(place.port || usualPort(protocol))
  const secure = isSecure(protocol)
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = secure
    ? connectSecure({ host, port, ...how, ...securityOf(place), ALPNProtocols: ['http/1.1'] })
    : connectPlain({ host, port, ...(how.lookup && { lookup: how.lookup }) })
  const late = setTimeout(() => socket.destroy(timeoutOf(place)), timeoutMs)
  socket.setNoDelay(true).setKeepAlive(true, keepAliveMs)
  socket.once(secure ? 'secureConnect' : 'connect', () => resolve(socket))
  socket.on('error', reject)
  if (secure) socket.on('session', (session: Buffer) => remember(place, session))
  try {
    return await promise
  } catch (error) {
    sessions.delete(nameOf(place))
    throw error
  } finally {
    clearTimeout(late)
  }
}

function securityOf(place: Place) {
  const { hostname, servername = isIP(hostname) ? undefined : hostname } = place
  const session = sessions.get(nameOf(place))
  return { ...(servername && { servername }), ...(session && { session }) }
}

function remember(place: Place, session: Buffer) {
  const name = nameOf(place)
  const [oldest] = sessions.keys()
  if (sessions.size >= mostSessions && !sessions.has(name) && oldest !== undefined) sessions.delete(oldest)
  sessions.set(name, session)
}

const timeoutOf = ({ hostname }: Place) =>
  Object.assign(new Error(`no connection to ${hostname} in time`), { code: 'UND_ERR_CONNECT_TIMEOUT' })
