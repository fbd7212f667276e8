import { lookup, Resolver } from 'node:dns/promises'
import { isIPv4 } from 'node:net'
import { MediaError } from '../plane.ts'
import type { Protocol, Target } from './flow.ts'
import { isLoopback } from './gate.ts'

export interface Place {
  host: string
  port: number | null
  transport: Protocol
}

const services = { udp: '_sip._udp', tcp: '_sip._tcp', tls: '_sips._tcp' } as const
const mostTargets = 4

/** Where a SIP address is reached (RFC 3263): the best first. */
export async function locate(place: Place): Promise<Target[]> {
  const { host, transport } = place
  const port = place.port ?? (transport === 'tls' ? 5061 : 5060)
  if (isIPv4(host)) return [{ transport, address: host, port, name: host }]
  const served = place.port === null ? await serviceRecords(host, transport) : []
  const hosts = served.length > 0 ? served : [{ name: host, port }]
  const found = await Promise.all(
    hosts.slice(0, mostTargets).map((one) => addressesOf(one.name, one.port, place)),
  )
  const targets = found.flat().slice(0, mostTargets)
  if (targets.length === 0) throw new MediaError(`${host} has no IPv4 address`)
  return targets
}

async function serviceRecords(host: string, transport: Protocol): Promise<{ name: string; port: number }[]> {
  try {
    const records = await new Resolver({ timeout: 1_000, tries: 1 }).resolveSrv(
      `${services[transport]}.${host}`,
    )
    return records.toSorted((one, other) => one.priority - other.priority || other.weight - one.weight)
  } catch {
    return []
  }
}

async function addressesOf(name: string, port: number, { host, transport }: Place): Promise<Target[]> {
  try {
    const found = await lookup(name, { family: 4, all: true })
    return found.map(({ address }) => ({ transport, address, port, name: host }))
  } catch {
    return []
  }
}

const privateNetworks =
  /^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./

/** Whether only machines near it reach an address. */
export const isPrivate = (address: string): boolean => isLoopback(address) || privateNetworks.test(address)
