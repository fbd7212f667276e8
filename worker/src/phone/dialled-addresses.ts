import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { Locator } from '@switchroom/media/sip/location'
import type { PrivateNetworks } from '@switchroom/process/private-networks'

/** What the whole internet does not mean one machine by. */
const notPublic = new BlockList()
for (const network of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]) {
  const [address = '', bits] = network.split('/')
  notPublic.addSubnet(address, Number(bits))
}

/** All that is assigned to machines, without what is for special purposes. */
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')
const special6 = new BlockList()
for (const [address, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const)
  special6.addSubnet(address, bits, 'ipv6')

const isPublic = (address: string): boolean =>
  isIPv4(address)
    ? !notPublic.check(address)
    : isIPv6(address) &&
      !address.includes('%') &&
      global6.check(address, 'ipv6') &&
      !special6.check(address, 'ipv6')

/** Where calls may be dialled to: an org names the host of its trunk, which must not lead into the operator's network. */
export class DialledAddresses {
  readonly #exceptions: ReadonlySet<string | undefined>
  /** The addresses of the exceptions, as far as they were dialled. */
  readonly #lifted = new Set<string>()
  readonly #locator: Locator
  readonly #networks: PrivateNetworks

  constructor(privateHosts: readonly string[], networks: PrivateNetworks, nameServers?: readonly string[]) {
    this.#networks = networks
    this.#exceptions = new Set(privateHosts.map(hostIn))
    this.#locator = new Locator({ families: [4, 6], ...(nameServers && { nameServers }) })
  }

  readonly mayDial = (address: string): boolean =>
    this.#lifted.has(address) || this.#networks.has(address) || isPublic(address)

  /** To be called before a trunk is dialled: the addresses of a host that the operator allows may be dialled. */
  async expect(trunkHost: string, transport: 'udp' | 'tcp' | 'tls' = 'udp'): Promise<void> {
    const host = hostIn(trunkHost)
    if (host === undefined || !this.#exceptions.has(host)) return
    const port = /:(\d+)$/.exec(trunkHost)?.[1]
    const place = { host: host.replaceAll(/[[\]]/g, ''), port: port ? Number(port) : null, transport }
    const found = await this.#locator.locate(place).catch(() => [])
    for (const { address } of found) this.#lifted.add(address)
  }
}

/** Without its port, an address in its usual spelling; undefined for what is no host. */
function hostIn(written: string): string | undefined {
  if (/[\s/\\?#@]/.test(written) || !URL.canParse(`https://${written}`)) return undefined
  return new URL(`https://${written}`).hostname.replace(/\.$/, '')
}
