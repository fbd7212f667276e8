import type { LiveKitPlane } from './livekit-plane.ts'
import type { LiveKitAddress } from './server.ts'
import type { Admission, BrowserCall, MediaPlane, PlacedCall } from '../plane.ts'

/** A LiveKit server whose library is loaded by the first question: most gateways never ask one. */
export class LiveKitOnDemand implements MediaPlane {
  readonly #address: LiveKitAddress
  #loading: Promise<LiveKitPlane> | undefined

  constructor(address: LiveKitAddress) {
    this.#address = address
  }

  list = async () => (await this.#plane()).list()
  orgs = async () => (await this.#plane()).orgs()
  areAdmitted = async (wanted: readonly Admission[]) => (await this.#plane()).areAdmitted(wanted)
  preview = async (wanted: Admission) => (await this.#plane()).preview(wanted)
  admit = async (wanted: Admission) => (await this.#plane()).admit(wanted)
  withdraw = async (org: string, number: string) => (await this.#plane()).withdraw(org, number)
  handOver = async (from: { address: string; fleet: string }) => (await this.#plane()).handOver(from)
  place = async (call: PlacedCall, signal: AbortSignal) => (await this.#plane()).place(call, signal)
  ticket = async (call: BrowserCall) => (await this.#plane()).ticket(call)
  holderOf = async (token: string) => (await this.#plane()).holderOf(token)
  transfer = async (call: string, to: string) => (await this.#plane()).transfer(call, to)
  hangUp = async (call: string) => (await this.#plane()).hangUp(call)

  #plane(): Promise<LiveKitPlane> {
    return (this.#loading ??= import('./livekit-plane.ts').then(
      (module) => new module.LiveKitPlane(this.#address),
    ))
  }
}
