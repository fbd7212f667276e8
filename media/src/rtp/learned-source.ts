import { isIP, isIPv4 } from 'node:net'

/** A source that fell silent for so long may have got another port on its way. */
const silentMs = 2000

/** How some say that nothing is to be sent to them. */
const unspecified = new Set(['0.0.0.0', '::'])

export interface Source {
  address: string
  port: number
}

/** Where a party said that its sound is, and where that was said from. */
export interface SignalledSource extends Source {
  signalledFrom: string
}

/**
 * Where sound comes from and goes to. What was signalled may be an address behind a router, so the first packet
 * decides, if it comes from that address or from the network of the signalling; after that only the signalled
 * address is believed, once, and no other source can redirect the audio. The party's own address is believed at another
 * port when it has been silent at the one before.
 */
export class LearnedSource {
  #signalled: SignalledSource
  #learned: Source | undefined
  #heardAt = 0

  constructor(signalled: SignalledSource) {
    this.#signalled = signalled
  }

  /** Where to send to; nowhere, while only an unusable address was signalled. */
  get source(): Source | undefined {
    if (this.#learned) return this.#learned
    const { address, port } = this.#signalled
    return isIP(address) === 0 || unspecified.has(address) || port < 1 || port > 65_535
      ? undefined
      : this.#signalled
  }

  /** Another place was signalled. */
  signal(source: SignalledSource): void {
    const { address, port, signalledFrom } = this.#signalled
    const isSame = address === source.address && port === source.port
    if (isSame && signalledFrom === source.signalledFrom) return
    this.#signalled = source
    this.#learned = undefined
  }

  /** Whether the party was last heard from there. */
  isHeardFrom({ address, port }: Source): boolean {
    return this.#learned?.address === address && this.#learned.port === port
  }

  /** Whether a packet from there is one of the party's. */
  accepts({ address, port }: Source, now: number): boolean {
    // nothing can be sent back to port 0, which only a forged packet comes from
    if (port === 0 || !this.#isParty(address, port, now)) return false
    if (this.#learned?.address !== address || this.#learned.port !== port) this.#learned = { address, port }
    this.#heardAt = now
    return true
  }

  #isParty(address: string, port: number, now: number): boolean {
    const learned = this.#learned
    if (!learned) return this.#isExpected(address)
    if (learned.address === address && learned.port === port) return true
    if (address === learned.address) return now - this.#heardAt > silentMs
    return address === this.#signalled.address
  }

  #isExpected(address: string): boolean {
    const signalled = this.#signalled
    return address === signalled.address || networkOf(address) === networkOf(signalled.signalledFrom)
  }
}

/** Carriers and routers send from neighbouring addresses: the first three parts of an IPv4 one; another counts whole. */
const networkOf = (address: string) =>
  isIPv4(address) ? address.slice(0, address.lastIndexOf('.')) : address
