import { isIP, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

const globalUnicast: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR('2000::/3')
const nat64: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** Whether the whole internet means the same machine by it. */
export function isPublic(address: string): boolean {
  const usual = normalHost(address) ?? address // without it ::8.8.8.8 would be taken for ::ffff:8.8.8.8
  const parsed = ipaddr.process(usual) // reads an IPv4-mapped address as IPv4
  if (parsed.kind() === 'ipv4') return parsed.range() === 'unicast'
  const wide = parsed as ipaddr.IPv6
  if (wide.match(nat64)) return isPublic(new ipaddr.IPv4(wide.toByteArray().slice(12)).toString())
  return wide.match(globalUnicast) && wide.range() === 'unicast'
}

/** Two spellings of one address. */
export const isSameAddress = (one: string, other: string) =>
  ipaddr.process(one).toNormalizedString() === ipaddr.process(other).toNormalizedString()

/**
 * A host as the network reads it: lower case, no last dot, no port, and an address in its usual spelling,
 * for `0177.1` and `2130706433` are 127.0.0.1 too. Undefined when it is neither a name nor an address.
 */
export function normalHost(written: string): string | undefined {
  const host = isIPv6(written) ? `[${written}]` : written
  if (/[\s/\\?#@]/.test(host) || !URL.canParse(`https://${host}`)) return undefined
  return new URL(`https://${host}`).hostname.replace(/^\[|\]$|\.$/g, '')
}

export const familyOf = (address: string) => (isIP(address) === 6 ? 6 : 4)
