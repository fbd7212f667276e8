import { MediaError } from '../plane.ts'
import type { SipTrunk } from './calls.ts'
import type { Target } from './flow.ts'
import type { Place } from './location.ts'
import type { SipStack } from './stack.ts'
import { tlsTermsOf } from './tls-terms.ts'

/** The addresses that one dial may ask, and those that it may hear from. */
export class DialTargets {
  readonly #stack: SipStack
  readonly #trunk: SipTrunk
  readonly #peers = new Set<string>()

  constructor(stack: SipStack, trunk: SipTrunk) {
    this.#stack = stack
    this.#trunk = trunk
  }

  get peers(): string[] {
    return [...this.#peers]
  }

  forgetPeers(): void {
    for (const peer of this.#peers) this.#stack.peers.remove(peer)
  }

  /** The best first; those that did not want or respond of late are last. */
  async of(place: Place): Promise<Target[]> {
    const { avoided, options } = this.#stack
    const found = await this.#stack.locate(place)
    const targets = found.filter(({ address }) => options.mayDial(address))
    if (targets.length === 0) throw new MediaError(`${place.host} is at an address that may not be dialled`)
    for (const { address } of targets) this.#expect(address)
    const tls = tlsTermsOf(this.#trunk)
    return avoided.inOrder(targets).map((target) => ({ ...target, tls }))
  }

  #expect(address: string): void {
    if (this.#peers.has(address)) return
    this.#peers.add(address)
    this.#stack.peers.add(address)
  }
}
