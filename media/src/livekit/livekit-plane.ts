import { setTimeout as sleep } from 'node:timers/promises'
import { SipCallError, TwirpError } from 'livekit-server-sdk'
import { checkFences, otherEnvironment, scopeName, scopeOf, Turns } from '../fences.ts'
import { callIn, roomOf } from './names.ts'
import { fenceOf, keptOf, LiveKitScope } from './scope.ts'
import { type LiveKitAddress, LiveKitServer, notAnswered, reasonIn } from './server.ts'
import { roomTicket, ticketHolder } from './tickets.ts'
import {
  type Admission,
  type AdmissionVerdicts,
  type BrowserCall,
  type Fence,
  MediaError,
  type MediaPlane,
  type PlacedCall,
  type PlacingResult,
  placedAndAnswered,
  refusedBySip,
  type Ticket,
  unanswered,
} from '../plane.ts'

const handOverName = 'hand-over'
/** How long a call waits for a worker before it is dialled. */
const takenWithinMs = 15_000
const lookEveryMs = 200

/** Calls that come from and go to a LiveKit server with its SIP service. */
export class LiveKitPlane implements MediaPlane {
  readonly #address: LiveKitAddress
  readonly #server: LiveKitServer
  /** The server reads, changes and writes without a lock, so no two changes run at once. */
  readonly #turns = new Turns()

  constructor(address: LiveKitAddress) {
    this.#address = address
    this.#server = new LiveKitServer(address)
  }

  async list(): Promise<Fence[]> {
    const trunks = await this.#server.trunks()
    return trunks.filter(({ name }) => scopeOf(name) !== undefined).map(fenceOf)
  }

  async orgs(): Promise<string[]> {
    const scopes = (await this.#server.trunks()).flatMap(({ name }) => scopeOf(name) ?? [])
    return [...new Set(scopes.flatMap((scope) => scope.split('/', 1)))]
  }

  async areAdmitted(wanted: readonly Admission[]): Promise<boolean[]> {
    const scopes = await this.#scopes(wanted.map(({ org, env }) => scopeName(org, env)))
    return wanted.map(({ fences, fleet }, at) => {
      const verdicts = scopes[at]?.verdicts(fences.map(keptOf), fleet, 'to do')
      return verdicts?.rule === 'stands' && [...verdicts.fences.values()].every((one) => one === 'stands')
    })
  }

  async preview(wanted: Admission): Promise<AdmissionVerdicts> {
    checkFences(wanted)
    const [scope] = await this.#scopes([scopeName(wanted.org, wanted.env)])
    return scope.verdicts(wanted.fences.map(keptOf), wanted.fleet, 'to do')
  }

  async admit(wanted: Admission): Promise<AdmissionVerdicts> {
    checkFences(wanted)
    const { org, env, fleet } = wanted
    const fences = wanted.fences.map(keptOf)
    return this.#turns.take(async () => {
      const [scope, other] = await this.#scopes([scopeName(org, env), scopeName(org, otherEnvironment(env))])
      const verdicts = scope.verdicts(fences, fleet, 'done')
      await other.takeOff(new Set(fences.flatMap(({ numbers }) => numbers)))
      await scope.become(fences, fleet)
      return verdicts
    })
  }

  async withdraw(org: string, number: string): Promise<'stands' | 'done'> {
    return this.#turns.take(async () => {
      let isListed = false
      for (const scope of await this.#scopes([scopeName(org, 'production'), scopeName(org, 'sandbox')]))
        if (await scope.takeOff(new Set([number]))) isListed = true
      return isListed ? 'done' : 'stands'
    })
  }

  /** Admits what another media server sends on, to whatever number, from its address alone. */
  async handOver({ address, fleet }: { address: string; fleet: string }): Promise<'stands' | 'done'> {
    return this.#turns.take(async () => {
      const [scope] = await this.#scopes([handOverName])
      const fence: Fence = { name: handOverName, networks: [address], numbers: [] }
      return scope.standOpen(fence, fleet)
    })
  }

  async place(call: PlacedCall, signal: AbortSignal): Promise<PlacingResult> {
    let result: PlacingResult | undefined
    try {
      result = await this.#dial(call, signal)
      return result
    } finally {
      // The worker that was dispatched would wait in an empty room.
      if (result?.outcome !== 'answered') await this.#server.deleteRoom(roomOf(call.call)).catch(() => {})
    }
  }

  ticket(call: BrowserCall): Promise<Ticket> {
    return roomTicket(this.#address, roomOf(call.call), call)
  }

  holderOf(token: string) {
    return ticketHolder(this.#address, token)
  }

  transfer(call: string, to: string): Promise<void> {
    return this.#server.transfer(roomOf(call), `tel:${to}`)
  }

  async hangUp(call: string): Promise<void> {
    if (await this.#server.deleteRoom(roomOf(call))) return
    const rooms = await this.#server.rooms()
    const room = rooms.find((name) => callIn(name) === call)
    if (room !== undefined) await this.#server.deleteRoom(room)
  }

  /** Through the first account alone: a worker in the room takes a phone that leaves for the end of the call. */
  async #dial(call: PlacedCall, signal: AbortSignal): Promise<PlacingResult> {
    const { call: id, org, agent, env, fleet, maxDurationS: max_duration_s } = call
    try {
      const metadata = JSON.stringify({ call: id, org, agent, env, max_duration_s })
      await this.#server.sendWorker(roomOf(id), fleet, metadata)
      await this.#workerIn(roomOf(id), fleet, signal)
      if (signal.aborted) return givenUp
      const answered = this.#server.dial(roomOf(id), call)
      const isHungUp = await Promise.race([answered.then(() => false), aborted(signal)])
      if (!isHungUp) return { ...placedAndAnswered, account: call.account }
      // A person who answers just then would be alone in a new room.
      void answered.then(() => this.#server.deleteRoom(roomOf(id))).catch(() => {})
      return givenUp
    } catch (error) {
      if (error instanceof NobodyCame) throw error
      return { ...resultOfDial(error, call.trunk.auth_password), account: call.account }
    }
  }

  /** Dials only once a worker is in the room. */
  async #workerIn(room: string, fleet: string, signal: AbortSignal): Promise<void> {
    const until = performance.now() + takenWithinMs
    while (!signal.aborted && !(await this.#server.hasWorker(room))) {
      if (performance.now() > until)
        throw new NobodyCame(`no worker of the fleet ${fleet} took the call: start one, and dial again`)
      await sleep(lookEveryMs, undefined, { signal }).catch(() => {})
    }
  }

  async #scopes<const Names extends readonly string[]>(names: Names) {
    const [trunks, rules] = await Promise.all([this.#server.trunks(), this.#server.rules()])
    const trunksOf = Map.groupBy(trunks, ({ name }) => (name === handOverName ? name : scopeOf(name)))
    const rulesOf = Map.groupBy(rules, ({ name }) => name)
    const scopeWithName = (name: string) =>
      new LiveKitScope(this.#server, name, trunksOf.get(name) ?? [], rulesOf.get(name) ?? [])
    return names.map(scopeWithName) as { [Index in keyof Names]: LiveKitScope }
  }
}

class NobodyCame extends MediaError {}

const aborted = (signal: AbortSignal) =>
  new Promise<true>((resolve) => {
    if (signal.aborted) resolve(true)
    else signal.addEventListener('abort', () => resolve(true), { once: true })
  })

const givenUp = unanswered('no_answer', 'the call was given up before it was answered')

/** Why a call was not answered, from the failure of its dial. */
function resultOfDial(error: unknown, password: string): PlacingResult {
  if (error instanceof SipCallError && error.sipStatusCode !== undefined)
    return refusedBySip(error.sipStatusCode, reasonIn(error))
  const { message } = notAnswered(error, password)
  // The end of the ring is reported without a SIP status.
  const isRungOut = error instanceof TwirpError && error.code === 'canceled'
  return unanswered(isRungOut ? 'no_answer' : 'dial_failed', message)
}
