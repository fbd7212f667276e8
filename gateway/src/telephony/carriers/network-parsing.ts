import ipaddr from 'ipaddr.js'
import type { PrivateNetworks } from '@switchroom/process/private-networks'
import { badRequest } from '../../foundation/refusals.ts'
import { cutToLine } from '../../foundation/text.ts'

/** Networks of one account or of one number. */
const most = 32
const widestBits = 24

/** Strictly `a.b.c.d` or `a.b.c.d/n`: the short, octal and hexadecimal spellings mean other machines to other programs. */
const form = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:\/(\d{1,2}))?$/

const rangeNames: Record<string, string> = {
  private: 'private',
  carrierGradeNat: 'shared by many networks',
  loopback: 'loopback',
  linkLocal: 'link-local',
  multicast: 'multicast',
}

/**
 * IPv4 networks no wider than a /24, each once and in its usual spelling; refuses the first that is none. They are
 * public, or in a private network where the operator lets trunks be.
 */
export function readNetworks(field: string, written: readonly string[], near?: PrivateNetworks): string[] {
  if (written.length === 0) throw badRequest(`${field}: name at least one address`)
  const networks = [...new Set(written.map((one) => readNetwork(field, one, near)))]
  if (networks.length > most) throw badRequest(`${field}: name at most ${most} addresses`)
  return networks
}

function readNetwork(field: string, written: string, near: PrivateNetworks | undefined): string {
  const refusal = (why: string) => badRequest(`${field}: ${cutToLine(written, 'an empty one')} ${why}`)
  const [, a = '', b = '', c = '', d = '', n = '32'] = form.exec(written) ?? []
  const octets = [a, b, c, d]
  if (!octets.every((octet) => isPlain(octet, 255)) || !isPlain(n, 32))
    throw refusal('is not an IPv4 address or network, as a.b.c.d or a.b.c.d/n')
  const bits = Number(n)
  if (bits < widestBits) throw refusal(`is wider than a /${widestBits}`)
  const network = ipaddr.IPv4.networkAddressFromCIDR(`${octets.join('.')}/${bits}`)
  if (network.toString() !== octets.join('.'))
    throw refusal(`has host bits set: the network is ${network.toString()}/${bits}`)
  const range = network.range() // no special range is smaller than a /24, so the first address speaks for all
  if (range !== 'unicast' && !near?.has(network.toString(), bits))
    throw refusal(`is not public: it is ${rangeNames[range] ?? 'reserved'}`)
  return bits === 32 ? network.toString() : `${network.toString()}/${bits}`
}

const isPlain = (digits: string, atMost: number) =>
  /^(?:0|[1-9]\d*)$/.test(digits) && Number(digits) <= atMost
