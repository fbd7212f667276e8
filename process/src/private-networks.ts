import ipaddr from 'ipaddr.js'
import { SettingError } from './setting-reader.ts'

const nearRanges = new Set<string>(['private', 'carrierGradeNat', 'loopback'])

/** A setting's network, as `10.1.0.0/16`: of addresses that only machines near it reach. */
export function privateNetwork(value: string): string {
  const [address = '', bits = '32', ...more] = value.split('/')
  const isNetwork =
    more.length === 0 && ipaddr.IPv4.isValidFourPartDecimal(address) && /^(?:[89]|[12]\d|3[0-2])$/.test(bits)
  if (!isNetwork) throw new SettingError(`holds ${value}, which is no IPv4 network, as 10.1.0.0/16`)
  const first = ipaddr.IPv4.networkAddressFromCIDR(`${address}/${bits}`)
  const last = ipaddr.IPv4.broadcastAddressFromCIDR(`${address}/${bits}`)
  if (first.toString() !== address)
    throw new SettingError(
      `holds ${value}, which has host bits set: the network is ${first.toString()}/${bits}`,
    )
  if (!nearRanges.has(first.range()) || last.range() !== first.range())
    throw new SettingError(`holds ${value}, which is not private: public networks need no setting`)
  return `${address}/${bits}`
}

/** Networks near the deployment that the operator lets trunks be in. */
export class PrivateNetworks {
  readonly #networks: readonly (readonly [ipaddr.IPv4, number])[]

  constructor(networks: readonly string[]) {
    this.#networks = networks.map((network) => ipaddr.IPv4.parseCIDR(network))
  }

  /** Whether an address, or a whole network, is in one of them. */
  has(address: string, bits = 32): boolean {
    if (!ipaddr.IPv4.isValidFourPartDecimal(address)) return false
    const wanted = ipaddr.IPv4.parse(address)
    return this.#networks.some(([network, prefix]) => bits >= prefix && wanted.match(network, prefix))
  }
}
