import { lookup, Resolver } from 'node:dns/promises'
import type { NaptrRecord, SrvRecord } from 'node:dns'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { MediaError } from '../plane.ts'
import type { Protocol, Target } from './flow.ts'
import { isLoopback } from './gate.ts'

export interface Place {
  host: string
  port: number | null
  transport: Protocol
}

export interface LocatorOptions {
  /** Which of the two there are sockets for. */
  families: readonly (4 | 6)[]
  /** `address:port` of DNS servers; the system's if there are none. */
  nameServers?: readonly string[]
  random?: () => number
}

const services = { udp: '_sip._udp', tcp: '_sip._tcp', tls: '_sips._tcp' } as const
const naptrServices = { udp: 'SIP+D2U', tcp: 'SIP+D2T', tls: 'SIPS+D2T' } as const
const mostTargets = 6
const recordsWithinMs = 1_000
const addressesWithinMs = 2_000

/** Finds where a SIP address is reached (RFC 3263), over the transport that was chosen for it. */
export class Locator {
  readonly #options: LocatorOptions
  readonly #random: () => number

  constructor(options: LocatorOptions) {
    this.#options = options
    this.#random = options.random ?? Math.random
  }

  /** The best first. */
  async locate(place: Place): Promise<Target[]> {
    const { host, transport } = place
    const port = place.port ?? (transport === 'tls' ? 5061 : 5060)
    if (isIP(host)) return [this.#literal({ transport, address: host, port, name: host })]
    const served = place.port === null ? await this.#servers(host, transport) : []
    const hosts = served.length > 0 ? served : [{ name: host, port }]
    const found = await Promise.all(
      hosts.slice(0, mostTargets).map(async (one) =>
        (await this.#addressesOf(one.name)).map((address) => ({
          transport,
          address,
          port: one.port,
          // The server that answers for the name must prove to be it, wherever DNS says that it is.
          name: host,
        })),
      ),
    )
    const targets = found.flat().slice(0, mostTargets)
    if (targets.length > 0) return targets
    const kind = this.#options.families.length > 1 ? 'address' : `IPv${this.#options.families[0]} address`
    throw new MediaError(`${host} has no ${kind}`)
  }

  #literal(target: Target): Target {
    if (this.#options.families.includes(isIPv6(target.address) ? 6 : 4)) return target
    throw new MediaError(
      `${target.address} is an IPv${isIPv6(target.address) ? 6 : 4} address, and the worker has none to reach it from`,
    )
  }

  async #servers(host: string, transport: Protocol): Promise<SrvRecord[]> {
    const [pointers, usual] = await Promise.all([
      this.#ask((resolver) => resolver.resolveNaptr(host)),
      this.#ask((resolver) => resolver.resolveSrv(`${services[transport]}.${host}`)),
    ])
    const name = serverNameIn(pointers, transport)
    const records = name === null ? usual : await this.#ask((resolver) => resolver.resolveSrv(name))
    if (records.length > 0 && records.every((record) => record.name === '' || record.name === '.'))
      throw new MediaError(`${host} says in DNS that it takes no calls over ${transport.toUpperCase()}`)
    return inServerOrder(records, this.#random)
  }

  async #addressesOf(name: string): Promise<string[]> {
    const { families, nameServers } = this.#options
    if (isIP(name)) return families.includes(isIPv6(name) ? 6 : 4) ? [name] : []
    if (nameServers) {
      const [four, six] = await Promise.all([
        families.includes(4) ? this.#ask((resolver) => resolver.resolve4(name)) : [],
        families.includes(6) ? this.#ask((resolver) => resolver.resolve6(name)) : [],
      ])
      return [...four, ...six]
    }
    const family = families.length > 1 ? 0 : (families[0] ?? 4)
    // It reads the system's own table of hosts too, and has no limit of its own.
    const found = await within(addressesWithinMs, lookup(name, { family, all: true }))
    return found.toSorted((one, other) => one.family - other.family).map(({ address }) => address)
  }

  async #ask<T>(question: (resolver: Resolver) => Promise<T[]>): Promise<T[]> {
    const resolver = new Resolver({ timeout: recordsWithinMs, tries: 1 })
    if (this.#options.nameServers) resolver.setServers(this.#options.nameServers)
    const found = await within(recordsWithinMs, question(resolver))
    resolver.cancel()
    return found
  }
}

/** Nothing if it fails, or takes too long. */
async function within<T>(ms: number, work: Promise<T[]>): Promise<T[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<T[]>((resolve) => {
    timer = setTimeout(() => resolve([]), ms)
  })
  const found = await Promise.race([work.catch(() => []), late])
  clearTimeout(timer)
  return found
}

/** Where NAPTR says that the servers of a transport are listed; the transport itself is the account's to choose. */
function serverNameIn(records: readonly NaptrRecord[], transport: Protocol): string | null {
  const [best] = records
    .filter(
      ({ flags, service }) =>
        flags.toLowerCase() === 's' && service.toUpperCase() === naptrServices[transport],
    )
    .toSorted((one, other) => one.order - other.order || one.preference - other.preference)
  return best?.replacement || null
}

/** By priority; among equals by chance, in proportion to their weights (RFC 2782). */
export function inServerOrder(records: readonly SrvRecord[], random: () => number): SrvRecord[] {
  const left = records
    .filter(({ name }) => name !== '' && name !== '.')
    .toSorted((one, other) => one.priority - other.priority || one.weight - other.weight)
  const ordered: SrvRecord[] = []
  while (left.length > 0) {
    const equals = left.filter(({ priority }) => priority === left[0]?.priority)
    const sum = equals.reduce((total, { weight }) => total + weight, 0)
    let at = random() * sum
    const chosen = equals.find(({ weight }) => (at -= weight) < 0) ?? equals[0]
    if (!chosen) break
    ordered.push(...left.splice(left.indexOf(chosen), 1))
  }
  return ordered
}

const privateNetworks = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  privateNetworks.addSubnet(network, bits)
for (const [network, bits] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  privateNetworks.addSubnet(network, bits, 'ipv6')

/** Whether only machines near it reach an address. */
export const isPrivate = (address: string): boolean =>
  isLoopback(address) ||
  (isIP(address) > 0 && privateNetworks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'))
