import type { TrunkTestStep } from '@switchroom/contract/trunk-tests'
import type { IncomingInvite, SipDialog, SipFence, SipStats, SipTrunk } from './calls.ts'
import type { Flow } from './flow.ts'
import { SipGate } from './gate.ts'
import { type SipLimits, TokenBuckets, usualLimits } from './limits.ts'
import { isRequest, type SipMessage, type SipRequest } from './message.ts'
import { dial, type Dialling } from './outgoing.ts'
import { Reception } from './reception.ts'
import { type FindAddress, SoundNames } from './sound-names.ts'
import { Registration, type RegistrationOptions } from './registration.ts'
import { dialogKey, type EarlyDialog, SipStack } from './stack.ts'
import type { ServerCertificate } from './server-certificate.ts'
import { type Timing, usualTiming } from './timing.ts'
import type { OnFinal } from './transactions.ts'
import { SipTransport } from './transport.ts'
import { probeTrunk } from './trunk-probe.ts'

export { SipRefused, SipUnanswered } from './calls.ts'
export { mayAnotherCarry } from './dial-failure.ts'
export type { Registration, RegistrationState } from './registration.ts'
export type { DialogEnd, IncomingInvite, SipDialog, SipFence, SipStats, SipTrunk } from './calls.ts'

export interface SipOptions {
  /** To bind, for signalling; sound is to be bound to it too. */
  host: string
  /** 0 takes any. */
  port: number
  /** What others reach this machine at, for signalling and sound. */
  publicAddress: string
  /** The same of IPv6; without it no far end of IPv6 is dialled from a host `::`. */
  publicAddress6?: string
  /** `address:port` of DNS servers; the system's if there are none. */
  nameServers?: readonly string[]
  /** Calls over TLS are taken at this port; none are without it. */
  tls?: { port: number; certificate: ServerCertificate }
  transports?: readonly ('udp' | 'tcp')[]
  /** Asked for every message; another array whenever anything in it is another. */
  fences: () => readonly SipFence[]
  /** Whether phones on this machine may ask for agents by name. */
  isLocalAllowed: boolean
  /** An even port for sound. */
  allocatePort: () => number
  releasePort: (port: number) => void
  onInvite: (invite: IncomingInvite) => void
  /** Whether an address that a name resolves to, or a far end says it is at, may be sent to; by default all may. */
  mayDial?: (address: string) => boolean
  /** Of a name that a far end has its sound at; the system's way by default. */
  findAddress?: FindAddress
  onFinal?: OnFinal
  /** A message was dropped, which is counted in the stats. */
  onDropped?: (why: DroppedFor) => void
  log?: (sentence: string) => void
  limits?: Partial<SipLimits>
  timing?: Partial<Timing>
}

type DroppedFor = 'refused' | 'limited' | 'malformed'

const byeWithinMs = 2_000

/** A SIP user agent (RFC 3261): signalling alone, no sound. */
export class SipServer {
  readonly #stack: SipStack
  readonly #gate: SipGate
  readonly #reception: Reception
  readonly #beginnings: TokenBuckets
  readonly #names: SoundNames
  readonly #log: (sentence: string) => void
  readonly #onDropped: (why: DroppedFor) => void
  readonly #counted: Pick<SipStats, DroppedFor> = { refused: 0, limited: 0, malformed: 0 }
  #stopped: Promise<void> | null = null

  private constructor(options: SipOptions) {
    this.#log = options.log ?? (() => {})
    this.#onDropped = options.onDropped ?? (() => {})
    const limits = { ...usualLimits, ...options.limits }
    this.#names = new SoundNames(options.findAddress)
    this.#beginnings = new TokenBuckets(limits.newRequestsPerS, limits.sources)
    this.#stack = new SipStack({
      host: options.host,
      publicAddress: options.publicAddress,
      publicAddress6: options.publicAddress6 ?? null,
      ...(options.nameServers && { nameServers: options.nameServers }),
      allocatePort: options.allocatePort,
      releasePort: options.releasePort,
      timing: { ...usualTiming, ...options.timing },
      limits,
      mayDial: options.mayDial ?? (() => true),
      ...(options.onFinal && { onFinal: options.onFinal }),
      log: this.#log,
    })
    this.#gate = new SipGate(options.fences, options.isLocalAllowed)
    this.#reception = new Reception(this.#stack, this.#gate, options.onInvite)
  }

  static async start(options: SipOptions): Promise<SipServer> {
    const server = new SipServer(options)
    const { host, port, transports = ['udp', 'tcp'] } = options
    const { limits, timing } = server.#stack.options
    const { messageWithinMs, keepAliveMs } = timing
    const tls = options.tls && { tls: options.tls }
    const opening = { host, port, transports, limits, messageWithinMs, keepAliveMs, ...tls }
    const transport = await SipTransport.open(opening, {
      isAdmitted: (source) => server.#gate.isAdmitted(source) || server.#stack.peers.of(source) > 0,
      isWithinRate: (source) => server.#isWithin(server.#stack.said, source),
      onMessage: (message, flow) =>
        server.#names.resolve(message, (resolved) => server.#receive(resolved, flow)),
      onMalformed: () => server.#drop('malformed'),
      onRefused: () => server.#drop('refused'),
    })
    server.#stack.open(transport)
    return server
  }

  get port(): number {
    return this.#stack.transport.port
  }

  /** Null if no TLS is listened for. */
  get tlsPort(): number | null {
    return this.#stack.transport.tlsPort
  }

  get stats(): SipStats {
    return {
      dialogs: this.#stack.dialogs.size,
      ringing: this.#stack.ringingTotal,
      unacknowledged: this.#stack.unacknowledged.size,
      transactions: this.#stack.transactions.size,
      connections: this.#stack.transport.connections,
      ...this.#counted,
    }
  }

  /** Rejects with `SipRefused` if the call is not answered, with another `MediaError` if it cannot be dialled; an abort hangs up. */
  invite(
    to: string,
    trunk: SipTrunk,
    from: string,
    signal: AbortSignal,
    more: Pick<Dialling, 'hasNext' | 'caller'> = {},
  ): Promise<SipDialog> {
    return dial(this.#stack, { to, trunk, from, signal, ...more })
  }

  /** What a trunk says without a call, step by step. */
  probe(trunk: SipTrunk): Promise<TrunkTestStep[]> {
    return probeTrunk(this.#stack, trunk)
  }

  /** Keeps a user registered at the registrar of a trunk, until it is stopped. */
  register(options: RegistrationOptions): Registration {
    return new Registration(this.#stack, options)
  }

  /** Hangs up every call in progress. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    this.#reception.stop()
    const dialogs = [...this.#stack.dialogs.values()]
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, byeWithinMs)
    })
    await Promise.race([Promise.all(dialogs.map((dialog) => dialog.bye())), late])
    clearTimeout(timer)
    this.#stack.transactions.end()
    await this.#stack.transport.close()
  }

  #isWithin(buckets: TokenBuckets, source: string): boolean {
    const isWithin = buckets.take(source)
    if (!isWithin) this.#drop('limited')
    return isWithin
  }

  #drop(why: DroppedFor): void {
    this.#counted[why]++
    this.#onDropped(why)
  }

  #receive(message: SipMessage, flow: Flow): void {
    try {
      if (isRequest(message)) this.#sort(message, flow)
      else this.#stack.transactions.receive(message)
    } catch (error) {
      // One message never takes the others' calls with it.
      this.#log(`a SIP message from ${flow.address} could not be handled: ${String(error)}`)
    }
  }

  #sort(request: SipRequest, flow: Flow): void {
    const { transactions, dialogs, early } = this.#stack
    const again = transactions.find(request)
    if (again) {
      if (again.flow.address === flow.address) again.receive(request)
      return
    }
    const key = dialogKey(request.callId, request.to.tag, request.from.tag)
    const standing = dialogs.get(key) ?? early.get(key)
    const isAdmitted = this.#gate.isAdmitted(flow.address)
    if (standing && (isAdmitted || standing.isPeer(flow.address))) return this.#hand(standing, request, flow)
    if (!isAdmitted || request.method === 'ACK') return
    if (!this.#isWithin(this.#beginnings, flow.address)) return
    if (request.method === 'CANCEL') return this.#cancel(request, flow)
    if (request.to.tag) return this.#reception.refuse(request, flow, 481)
    if (this.#stopped) return this.#reception.refuse(request, flow, 503)
    return this.#reception.receive(request, flow)
  }

  #hand(dialog: EarlyDialog, request: SipRequest, flow: Flow): void {
    if (request.method === 'ACK') return dialog.acknowledge(request)
    if (request.fault !== null) return this.#reception.refuse(request, flow, 400, { reason: request.fault })
    // A source past its limit may still hang up.
    if (request.method !== 'BYE' && this.#stack.isFullWithin(request))
      return this.#reception.refuse(request, flow, 503, { headers: [['retry-after', '10']] })
    if (!dialog.isNext(request)) return this.#reception.refuse(request, flow, 500, { reason: 'Out of Order' })
    return dialog.receive(this.#stack.transactions.take(request, flow))
  }

  #cancel(request: SipRequest, flow: Flow): void {
    const invite = this.#stack.transactions.cancelled(request)
    if (invite?.flow.address !== flow.address) return this.#reception.refuse(request, flow, 481)
    this.#reception.refuse(request, flow, 200)
    return this.#reception.cancel(invite)
  }
}
