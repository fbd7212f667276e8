import { setTimeout as sleep } from 'node:timers/promises'
import { MediaError } from '../plane.ts'
import type { SipTrunk } from './calls.ts'
import type { OutgoingRequest } from './client-transaction.ts'
import { challengesOf, proofFor } from './dialog-state.ts'
import { isStale } from './digest.ts'
import type { Flow, Target } from './flow.ts'
import { header, headersOf, type SipResponse } from './message.ts'
import { inBrackets, type SipStack } from './stack.ts'
import { readHostPort, readNameAddress, splitOutside } from './syntax.ts'
import { moveOnMs } from './timing.ts'
import { tlsTermsOf } from './tls-terms.ts'
import { newToken } from './transactions.ts'

/** What a registrar says of a registration. */
export type RegistrationState =
  | { state: 'trying'; says: string | null }
  /** `addresses` are the registrar's, from which calls come. */
  | { state: 'registered'; forS: number; addresses: readonly string[] }
  | { state: 'refused'; says: string }

export interface RegistrationOptions {
  trunk: SipTrunk
  /** The user that the registrar knows. */
  username: string
  onState: (state: RegistrationState) => void
}

const wantedS = 300
const [leastS, mostS] = [30, 86_400]
/** After a failure: the first wait, and the longest. */
const [firstRetryMs, longestRetryMs] = [2_000, 120_000]
/** A registrar that refuses the password would lock the account if it were asked often. */
const refusedRetryMs = 300_000

/** Keeps one user registered at one registrar, until it is stopped. */
export class Registration {
  readonly #stack: SipStack
  readonly #options: RegistrationOptions
  readonly #stopping = new AbortController()
  readonly #callId = newToken()
  readonly #tag = newToken()
  readonly #done: Promise<void>
  #number = 0
  #expiresS = wantedS
  /** Where it is registered now. */
  #at: Flow | null = null
  #peers: readonly string[] = []

  constructor(stack: SipStack, options: RegistrationOptions) {
    this.#stack = stack
    this.#options = options
    this.#done = this.#run()
  }

  /** Takes the registration back. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#done
    const flow = this.#at
    this.#at = null
    if (flow) await this.#ask(flow, 0).catch(() => null)
    this.#holdPeers([])
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    let retryMs = firstRetryMs
    this.#tell({ state: 'trying', says: null })
    while (!signal.aborted) {
      const state = await this.#register().catch((error: unknown): RegistrationState => ({
        state: 'trying',
        says: sentenceOf(error),
      }))
      if (signal.aborted) return
      this.#tell(state)
      retryMs = state.state === 'trying' ? Math.min(2 * retryMs, longestRetryMs) : firstRetryMs
      const waitMs =
        state.state === 'registered'
          ? refreshMs(state.forS)
          : state.state === 'refused'
            ? refusedRetryMs
            : retryMs * (0.5 + Math.random() / 2) // not every worker at once
      await sleep(waitMs, undefined, { signal }).catch(() => {})
    }
  }

  #tell(state: RegistrationState): void {
    if (!this.#stopping.signal.aborted) this.#options.onState(state)
  }

  /** One address of the registrar after the other, until one says yes or no. */
  async #register(): Promise<RegistrationState> {
    const { avoided } = this.#stack
    const targets = avoided.inOrder(await this.#targets())
    const addresses = [...new Set(targets.map(({ address }) => address))]
    this.#holdPeers(addresses)
    let says = 'the registrar does not answer: check its host, port and transport'
    for (const [at, target] of targets.entries()) {
      const withinMs = at === targets.length - 1 ? undefined : moveOnMs(this.#stack.options.timing)
      const flow = await this.#stack.flowTo(target, withinMs).catch(() => null)
      if (this.#stopping.signal.aborted) break
      const response = flow && (await this.#ask(flow, this.#expiresS, withinMs))
      avoided.remember(target, response)
      if (!flow) {
        says = `the registrar cannot be connected to at ${inBrackets(target.address)}:${target.port}`
        continue
      }
      if (!response) {
        // An old connection may lead nowhere any more.
        this.#stack.transport.forget(target)
        continue
      }
      if (response.status < 300) {
        this.#at = flow
        return { state: 'registered', forS: this.#granted(response), addresses }
      }
      const sentence = `the registrar answered ${response.status} ${response.reason}`.trimEnd()
      if (response.status < 500 && response.status !== 408) {
        this.#at = null
        return { state: 'refused', says: `${sentence}${hintOf(response.status)}` }
      }
      says = sentence
    }
    this.#at = null
    return { state: 'trying', says }
  }

  async #targets(): Promise<Target[]> {
    const { hostname, transport } = this.#options.trunk
    const place = readHostPort(hostname)
    if (!place) throw new MediaError(`${hostname} is no host`)
    const found = await this.#stack.locate({ ...place, transport })
    const targets = found.filter(({ address }) => this.#stack.options.mayDial(address))
    if (targets.length === 0) throw new MediaError(`${place.host} is at an address that may not be dialled`)
    const tls = tlsTermsOf(this.#options.trunk)
    return targets.map((target) => ({ ...target, tls }))
  }

  /** Answers of the registrar are heard although no fence lists it. */
  #holdPeers(addresses: readonly string[]): void {
    for (const address of addresses) this.#stack.peers.add(address)
    for (const address of this.#peers) this.#stack.peers.remove(address)
    this.#peers = addresses
  }

  /** Asks until the registrar believes who we are, and for as long as it grants. */
  async #ask(flow: Flow, expiresS: number, withinMs?: number): Promise<SipResponse | null> {
    const { auth_username: username, auth_password: password } = this.#options.trunk
    let [proof, seconds, proofs] = [undefined as readonly [string, string] | undefined, expiresS, 0]
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#stack.askOnce(this.#request(flow, seconds, proof), flow, withinMs)
      if (!response || attempt === 5) return response
      const least = Number(header(response, 'min-expires'))
      if (response.status === 423 && least > seconds && least <= mostS) {
        this.#expiresS = seconds = least
        continue
      }
      const next = username === '' ? null : proofFor(response, 'REGISTER', this.#uri, { username, password })
      if (!next || (proofs > 0 && !isStale(challengesOf(response)))) return response
      proofs += 1
      proof = next
    }
  }

  #request(flow: Flow, expiresS: number, proof?: readonly [string, string]): OutgoingRequest {
    const { username, trunk } = this.#options
    const record = `<sip:${encodeURIComponent(username).replaceAll('%2B', '+')}@${trunk.from_domain ?? this.#host}>`
    return {
      method: 'REGISTER',
      uri: this.#uri,
      headers: [
        ['max-forwards', '70'],
        ['from', `${record};tag=${this.#tag}`],
        ['to', record],
        ['call-id', this.#callId],
        ['cseq', `${++this.#number} REGISTER`],
        ['contact', `${this.#stack.contact(flow, username)};expires=${expiresS}`],
        ['expires', String(expiresS)],
        ['user-agent', 'switchroom'],
        ...(proof ? [proof] : []),
      ],
      body: '',
    }
  }

  get #host(): string {
    return readHostPort(this.#options.trunk.hostname)?.host ?? ''
  }

  get #uri(): string {
    return `sip:${this.#host}`
  }

  /** For how long, of our own contact among those it lists; bounded, for a registrar may say anything. */
  #granted(response: SipResponse): number {
    const user = encodeURIComponent(this.#options.username).replaceAll('%2B', '+')
    const listed = headersOf(response, 'contact').flatMap((value) => splitOutside(value, ','))
    const ours = listed.map(readNameAddress).find((one) => one?.uri.startsWith(`sip:${user}@`))
    const said = Number(ours?.params.get('expires') ?? header(response, 'expires') ?? this.#expiresS)
    return Number.isFinite(said) ? Math.min(Math.max(said, leastS), mostS) : this.#expiresS
  }
}

/** Well before it is over, and for a short one at half of it. */
const refreshMs = (forS: number) => 1000 * Math.max(forS / 2, forS - 60)

function hintOf(status: number): string {
  if ([401, 403, 407].includes(status)) return ': check the username and the password'
  return status === 404 ? ': it does not know the username' : ''
}

const sentenceOf = (error: unknown) =>
  error instanceof MediaError ? error.message : 'the registrar could not be asked'
