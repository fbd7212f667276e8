import { isIP } from 'node:net'

/** A source that fell silent for so long may have got another port on its way. */
const silentMs = 2000

/** How some say that nothing is to be sent to them. */
const nobody = new Set(['0.0.0.0', '::'])

export interface Source {
  address: string
  port: number
}

/**
 * Where sound comes from and goes to. What was signalled may be an address behind a router, so the first packet tells;
 * after that only the signalled address is believed, once, and nobody else can turn the sound to himself. The party's
 * own address is believed at another port when it has been silent at the one before.
 */
export class LearnedSource {
  #signalled: Source
  #learned: Source | undefined
  #heardAt = 0

  constructor(signalled: Source) {
    this.#signalled = signalled
  }

  /** Where to send to; nowhere, while only a place was signalled that nobody is at. */
  get source(): Source | undefined {
    if (this.#learned) return this.#learned
    const { address, port } = this.#signalled
    return isIP(address) === 0 || nobody.has(address) || port < 1 || port > 65_535
      ? undefined
      : this.#signalled
  }

  /** Another place was signalled. */
  signal(source: Source): void {
    const { address, port } = this.#signalled
    if (address === source.address && port === source.port) return
    this.#signalled = source
    this.#learned = undefined
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
    if (!learned || (learned.address === address && learned.port === port)) return true
    if (address === learned.address) return now - this.#heardAt > silentMs
    return address === this.#signalled.address
  }
}
