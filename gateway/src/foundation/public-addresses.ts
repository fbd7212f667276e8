import { once } from 'node:events'
import { lookup, Resolver } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { familyOf, isPublic, isSameAddress, normalHost } from './address-ranges.ts'
import { secondMs } from './clock.ts'
import { guardedFetch, type FetchLimits } from './guarded-fetch.ts'
import type { Settings } from './settings.ts'

export interface HostAddress {
  address: string
  family: 4 | 6
}

const sentences = {
  nothing: 'resolves to nothing',
  'not-public': 'resolves to an address that is not public',
}

/** A host that an org named and that is not reached. */
export class HostRefused extends Error {
  readonly reason: keyof typeof sentences

  constructor(host: string, reason: keyof typeof sentences) {
    super(`${host} ${sentences[reason]}`)
    this.reason = reason
  }
}

const usualLimits: FetchLimits = { bodyBytes: 256 * 1024, timeMs: 5 * secondMs }
const noSuchRecord = new Set(['ENODATA', 'ENOTFOUND'])

/** The one way to any address that an org supplies: resolved, every address checked, connected to a checked one. */
export class PublicAddresses {
  /** Trust for outbound TLS: the system's roots and the deployment's own. Made once, for it takes 50 ms. */
  readonly tls: { secureContext?: SecureContext }
  /** Only https, no redirect, the answer read whole. */
  readonly fetch: (input: string | URL, init?: RequestInit) => Promise<Response>
  readonly #privateHosts: Set<string | undefined>
  readonly #resolver = new Resolver({ timeout: 2 * secondMs, tries: 2 })
  readonly #usesSystem: boolean

  constructor(settings: Pick<Settings, 'privateHosts' | 'resolver' | 'caPem'>, limits = usualLimits) {
    const { privateHosts, resolver, caPem } = settings
    this.#privateHosts = new Set(privateHosts.map(normalHost))
    this.#usesSystem = resolver === undefined
    if (resolver !== undefined) this.#resolver.setServers([resolver])
    this.tls = caPem
      ? { secureContext: createSecureContext({ ca: [...getCACertificates('default'), caPem] }) }
      : {}
    this.fetch = guardedFetch((...to) => this.connect(...to), this.tls, limits)
  }

  /** Every address of the host. One that is not public refuses them all. */
  async addressesOf(host: string): Promise<HostAddress[]> {
    const addresses = await this.#resolve(host)
    const isLifted = this.#privateHosts.has(normalHost(host))
    if (!isLifted && !addresses.every(({ address }) => isPublic(address)))
      throw new HostRefused(host, 'not-public')
    return addresses
  }

  /** The TXT records at a domain, each in one piece. */
  async textsAt(domain: string): Promise<string[]> {
    const records = await this.#resolver.resolveTxt(domain).catch(noneIfAbsent)
    return records.map((pieces) => pieces.join(''))
  }

  /** A connection to a checked address. The signal ends it at any time. */
  async connect(host: string, port: number, signal: AbortSignal): Promise<Socket> {
    return dial(host, port, await orAborted(this.addressesOf(host), signal), signal)
  }

  /** What the operator names is the operator's own wire, and may be private. */
  async connectForOperator(host: string, port: number, signal: AbortSignal): Promise<Socket> {
    return dial(host, port, await orAborted(this.#resolve(host), signal), signal)
  }

  async #resolve(host: string): Promise<HostAddress[]> {
    const name = normalHost(host)
    if (name === undefined) throw new HostRefused(host, 'nothing')
    const addresses = isIP(name) ? [name] : await this.#lookUp(name)
    if (addresses.length === 0) throw new HostRefused(host, 'nothing')
    return addresses.map((address) => ({ address, family: familyOf(address) }))
  }

  /** What cannot be found out now counts as nothing. */
  async #lookUp(name: string): Promise<string[]> {
    if (this.#usesSystem) {
      const found = await lookup(name, { all: true }).catch(() => [])
      return found.map(({ address }) => address)
    }
    const asked = [this.#resolver.resolve4(name), this.#resolver.resolve6(name)]
    const answered = await Promise.all(asked.map((answer) => answer.catch(() => [])))
    return answered.flat()
  }
}

function noneIfAbsent(error: NodeJS.ErrnoException): never[] {
  if (noSuchRecord.has(error.code ?? '')) return []
  throw error
}

/** A look-up cannot be called back, only no longer waited for. */
async function orAborted<T>(polling: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason as Error)
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([polling, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function dial(host: string, port: number, addresses: HostAddress[], signal: AbortSignal) {
  signal.throwIfAborted()
  const socket = connect({
    host: normalHost(host) ?? host,
    port,
    autoSelectFamily: true,
    lookup: (_name, _options, done) => done(null, addresses),
  })
  addAbortSignal(signal, socket)
  socket.on('error', () => {}) // its user gets the error too; an abort between two users must not end the process
  await once(socket, 'connect')
  const reached = socket.remoteAddress
  if (reached !== undefined && addresses.some(({ address }) => isSameAddress(address, reached))) return socket
  socket.destroy()
  throw new HostRefused(host, 'not-public')
}
