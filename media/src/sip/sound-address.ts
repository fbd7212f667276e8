import { isIPv4, isIPv6, SocketAddress } from 'node:net'

const nowhere = new Set(['0.0.0.0', '::'])

/** How hold was once said. */
export const isNowhere = (address: string): boolean => nowhere.has(address)

/** An address that sound can be sent to, as the system writes it; null for any other. */
export function soundAddress(said: string): string | null {
  if (isIPv4(said)) return Number(said.split('.')[0]) < 224 ? said : null
  if (!isIPv6(said) || said.includes('%')) return null
  const { address } = new SocketAddress({ address: said, family: 'ipv6' })
  // one of IPv4 in disguise would be compared with those that are plain
  return /^ff/i.test(address) || address.startsWith('::ffff:') ? null : address
}

const isSameKind = (one: string, other: string) => isIPv6(one) === isIPv6(other)

/** Undefined if sound can go from one address to the other, else why not. */
export const unreachable = (sound: string, ours: string): string | undefined =>
  isNowhere(sound) || isSameKind(sound, ours)
    ? undefined
    : `its sound is at an IPv${isIPv6(sound) ? 6 : 4} address, and ours is not: offer an IPv${isIPv6(ours) ? 6 : 4} address in c=`
