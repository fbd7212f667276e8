import { isIPv4 } from 'node:net'
import type { SipFence } from './calls.ts'

function ipv4(address: string): number | null {
  if (!isIPv4(address)) return null
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}

const cut = (address: number, prefix: number) => (prefix === 0 ? 0 : (address & (-1 << (32 - prefix))) >>> 0)

/** An IPv4 peer as it is written in fences, whichever socket it came by. */
export const plainAddress = (address: string): string =>
  address.startsWith('::ffff:') ? address.slice(7) : address

export const isLoopback = (address: string): boolean =>
  address === '::1' || (isIPv4(address) && address.startsWith('127.'))

/** Which fences list an address: one look-up for each length of network that is in use. */
class NetworkTable {
  readonly #byPrefix = new Map<number, Map<number, SipFence[]>>()

  constructor(fences: readonly SipFence[]) {
    for (const fence of fences) for (const network of fence.networks) this.#add(network, fence)
  }

  #add(network: string, fence: SipFence): void {
    const [address = '', bits = '32', ...rest] = network.split('/')
    const number = ipv4(address)
    const prefix = /^\d{1,2}$/.test(bits) ? Number(bits) : 33
    // What is no network admits no source.
    if (number === null || prefix > 32 || rest.length > 0) return
    const networks = this.#byPrefix.get(prefix) ?? new Map<number, SipFence[]>()
    this.#byPrefix.set(prefix, networks)
    const key = cut(number, prefix)
    const listing = networks.get(key)
    if (listing) listing.push(fence)
    else networks.set(key, [fence])
  }

  fencesOf(address: string): SipFence[] {
    const number = ipv4(address)
    if (number === null) return []
    return [...this.#byPrefix].flatMap(([prefix, networks]) => networks.get(cut(number, prefix)) ?? [])
  }
}

/** Who may ask for what. */
export class SipGate {
  readonly #fences: () => readonly SipFence[]
  readonly #isLocalAllowed: boolean
  #known: readonly SipFence[] = []
  #table = new NetworkTable([])

  constructor(fences: () => readonly SipFence[], isLocalAllowed: boolean) {
    this.#fences = fences
    this.#isLocalAllowed = isLocalAllowed
  }

  fencesOf(source: string): SipFence[] {
    const fences = this.#fences()
    if (fences !== this.#known) {
      this.#known = fences
      this.#table = new NetworkTable(fences)
    }
    return this.#table.fencesOf(source)
  }

  isLocal(source: string): boolean {
    return this.#isLocalAllowed && isLoopback(source)
  }

  /** A source that is not admitted gets no response at all. */
  isAdmitted(source: string): boolean {
    return this.isLocal(source) || this.fencesOf(source).length > 0
  }
}
