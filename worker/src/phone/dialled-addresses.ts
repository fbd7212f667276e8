import { lookup } from 'node:dns/promises'
import { BlockList, isIPv4 } from 'node:net'
import type { PrivateNetworks } from '@switchroom/process/private-networks'

/** Of IPv4, which is all that is dialled. What the whole internet does not mean one machine by. */
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

/** Where calls may be dialled to: an org names the host of its trunk, which must not lead into the operator's network. */
export class DialledAddresses {
  readonly #exceptions: ReadonlySet<string | undefined>
  /** The addresses of the exceptions, as far as they were dialled. */
  readonly #lifted = new Set<string>()

  readonly #networks: PrivateNetworks

  constructor(privateHosts: readonly string[], networks: PrivateNetworks) {
    this.#networks = networks
    this.#exceptions = new Set(privateHosts.map(hostIn))
  }

  readonly mayDial = (address: string): boolean =>
    this.#lifted.has(address) || this.#networks.has(address) || (isIPv4(address) && !notPublic.check(address))

  /** To be called before a trunk is dialled: the addresses of a host that the operator allows may be dialled. */
  async expect(trunkHost: string): Promise<void> {
    const host = hostIn(trunkHost)
    if (host === undefined || !this.#exceptions.has(host)) return
    const found = isIPv4(host) ? [host] : await addressesOf(host)
    for (const address of found) this.#lifted.add(address)
  }
}

/** Without its port, an address in its usual spelling; undefined for what is no host. */
function hostIn(written: string): string | undefined {
  if (/[\s/\\?#@]/.test(written) || !URL.canParse(`https://${written}`)) return undefined
  return new URL(`https://${written}`).hostname.replace(/\.$/, '')
}

async function addressesOf(name: string): Promise<string[]> {
  const found = await lookup(name, { family: 4, all: true }).catch(() => [])
  return found.map(({ address }) => address)
}
