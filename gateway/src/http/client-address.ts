import ipaddr from 'ipaddr.js'
import type { Network } from '../foundation/setting-parsing.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

function parse(text: string): Address | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined // process() reads an IPv4-mapped address as IPv4
}

const isWithin = (address: Address, networks: readonly Network[]) =>
  networks.some(
    ([network, prefixBits]) => address.kind() === network.kind() && address.match(network, prefixBits),
  )

/** One household or office shares an IPv6 /64, and a single machine can use all of it. */
function placeOf(address: Address): string {
  if (address.kind() === 'ipv4') return address.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/64`).toString()}/64`
}

/** The place of an address in words, if it is one. */
export function addressNamed(text: string): string | undefined {
  const address = parse(text.trim())
  return address && placeOf(address)
}

/** What a connection is counted for: the place of its peer; nothing where that is a proxy of ours. */
export function connectionAddress(peer: string, trusted: readonly Network[]): string | undefined {
  const address = parse(peer)
  if (!address) return peer
  return isWithin(address, trusted) ? undefined : placeOf(address)
}

/**
 * Where a request comes from: the peer, or, when the peer is a proxy of ours, the right-most address it was
 * forwarded for that is not one of ours. Anything further left was written by whoever likes to.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | undefined,
  trusted: readonly Network[],
): string {
  const peerAddress = parse(peer)
  if (!peerAddress) return peer
  if (!isWithin(peerAddress, trusted) || forwardedFor === undefined) return placeOf(peerAddress)
  for (const entry of forwardedFor.split(',').toReversed()) {
    const address = parse(entry.trim())
    if (!address) return placeOf(peerAddress)
    if (!isWithin(address, trusted)) return placeOf(address)
  }
  return placeOf(peerAddress)
}
