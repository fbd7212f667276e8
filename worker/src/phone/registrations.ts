import type { HeldRegistrations, TellRegistrations } from '@switchroom/contract/media-plane'
import type { Environment } from '@switchroom/contract/scopes'
import type { Registration, RegistrationState, SipServer } from '@switchroom/media/sip/server'
import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import type { GatewayClient } from '../gateway-client.ts'
import type { DialledAddresses } from './dialled-addresses.ts'
import type { Fences } from './fences.ts'

type Wanted = HeldRegistrations['registrations'][number]
type Told = TellRegistrations['registrations'][number]

/** Given up so long before the gateway may lease it to another worker. */
const marginMs = 5_000

interface Held {
  wanted: Wanted
  state: RegistrationState
  /** When the state came. */
  atMs: number
  registration: Registration | null
}

export interface RegistrationsParts {
  gateway: Pick<GatewayClient, 'tellRegistrations'>
  environments: readonly Environment[]
  sip: Pick<SipServer, 'register'>
  addresses: Pick<DialledAddresses, 'expect'>
  fences: Pick<Fences, 'admit'>
  isDraining: () => boolean
  logger: Logger
}

/** The users that this worker keeps registered at SIP peers, for as long as the gateway leases them to it. */
export class Registrations {
  readonly task: PeriodicTask = {
    name: 'report registrations',
    everyMs: 10_000,
    runsAtStart: true,
    run: () => this.report(),
  }
  readonly #parts: RegistrationsParts
  readonly #held = new Map<Environment, Map<string, Held>>()
  readonly #leases = new Map<Environment, NodeJS.Timeout>()

  constructor(parts: RegistrationsParts) {
    this.#parts = parts
  }

  async report(): Promise<void> {
    await Promise.all(this.#parts.environments.map((env) => this.#reportIn(env)))
  }

  /** Takes every registration back, so that another worker can register. */
  async stop(): Promise<void> {
    for (const timer of this.#leases.values()) clearTimeout(timer)
    await Promise.all(this.#parts.environments.map((env) => this.#giveUp(env)))
    if (this.#parts.isDraining()) await this.report()
  }

  async #reportIn(env: Environment): Promise<void> {
    const { gateway, isDraining, logger } = this.#parts
    const askedMs = performance.now()
    const draining = isDraining()
    if (draining) await this.#giveUp(env)
    try {
      const registrations = [...this.#in(env).values()].map(toldOf)
      const answer = await gateway.tellRegistrations({ env, draining, registrations })
      clearTimeout(this.#leases.get(env))
      if (draining) return
      const leftMs = answer.lease_s * 1000 - marginMs - (performance.now() - askedMs)
      this.#leases.set(env, setTimeout(() => void this.#giveUp(env), Math.max(leftMs, 0)).unref())
      await this.#follow(env, answer.registrations)
    } catch (error) {
      logger.debug({ err: error, env }, 'registrations could not be reported')
    }
  }

  async #follow(env: Environment, wanted: readonly Wanted[]): Promise<void> {
    const held = this.#in(env)
    for (const [id, one] of held) {
      const now = wanted.find((other) => other.id === id)
      if (now && JSON.stringify(now) === JSON.stringify(one.wanted)) continue
      held.delete(id)
      this.#release(one)
    }
    for (const one of wanted) if (!held.has(one.id)) await this.#register(held, one)
  }

  async #register(held: Map<string, Held>, wanted: Wanted): Promise<void> {
    const { sip, addresses, fences, logger } = this.#parts
    const { id, trunk, username, fence } = wanted
    await addresses.expect(trunk.hostname)
    const one: Held = {
      wanted,
      state: { state: 'trying', says: null },
      atMs: performance.now(),
      registration: null,
    }
    held.set(id, one)
    one.registration = sip.register({
      trunk,
      username,
      onState: (state) => {
        if (state.state !== one.state.state) logger.info({ account: id, ...state }, 'a registration changed')
        one.state = state
        one.atMs = performance.now()
        fences.admit(fence, state.state === 'registered' ? state.addresses : [])
      },
    })
  }

  #release({ registration, wanted }: Held): void {
    this.#parts.fences.admit(wanted.fence, [])
    void registration?.stop().catch(() => {})
  }

  async #giveUp(env: Environment): Promise<void> {
    const held = [...this.#in(env).values()]
    this.#in(env).clear()
    for (const { wanted } of held) this.#parts.fences.admit(wanted.fence, [])
    await Promise.all(held.map(async ({ registration }) => registration?.stop().catch(() => {})))
  }

  #in(env: Environment): Map<string, Held> {
    const held = this.#held.get(env) ?? new Map<string, Held>()
    this.#held.set(env, held)
    return held
  }
}

function toldOf({ wanted: { id }, state, atMs }: Held): Told {
  if (state.state !== 'registered')
    return { id, state: state.state, ...(state.says !== null && { says: state.says.slice(0, 300) }) }
  const leftS = state.forS - (performance.now() - atMs) / 1000
  return { id, state: 'registered', for_s: Math.max(0, Math.round(leftS)) }
}
