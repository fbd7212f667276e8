import ipaddr from 'ipaddr.js'
import type { Network } from './setting-parsing.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

function parse(text: string): Address | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined // process() reads an IPv4-mapped address as IPv4
}

const isWithin = (address: Address, networks: readonly Network[]) =>
  networks.some(
    ([network, prefixBits]) => address.kind() === network.kind() && address.match(network, prefixBits),
  )

/** One household or office shares an IPv6 /64, and a single machine can use all of it. */
function countedAs(address: Address): string {
  if (address.kind() === 'ipv4') return address.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/64`).toString()}/64`
}

/** The client address that a text names, if it is one: an IPv4 address, or an IPv6 /64. */
export function clientAddressIn(text: string): string | undefined {
  const address = parse(text.trim())
  return address && countedAs(address)
}

/** What a connection is counted for: its peer; undefined if that is a trusted proxy, which carries many clients. */
export function connectionAddress(peer: string, trusted: readonly Network[]): string | undefined {
  const address = parse(peer)
  if (!address) return peer
  return isWithin(address, trusted) ? undefined : countedAs(address)
}

/**
 * Where a request comes from: the peer, or, if the peer is a trusted proxy, the right-most forwarded address that
 * is not one of ours. A client can write anything further left.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | undefined,
  trusted: readonly Network[],
): string {
  const peerAddress = parse(peer)
  if (!peerAddress) return peer
  if (!isWithin(peerAddress, trusted) || forwardedFor === undefined) return countedAs(peerAddress)
  for (const entry of forwardedFor.split(',').toReversed()) {
    const address = parse(entry.trim())
    if (!address) return countedAs(peerAddress)
    if (!isWithin(address, trusted)) return countedAs(address)
  }
  return countedAs(peerAddress)
}
