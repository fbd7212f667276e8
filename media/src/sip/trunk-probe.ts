import type { TrunkTestStep } from '@switchroom/contract/trunk-tests'
import { plainLine, wordsOfConnecting } from '../failure-words.ts'
import { MediaError } from '../plane.ts'
import type { SipTrunk } from './calls.ts'
import { DialTargets } from './dial-targets.ts'
import { proofFor } from './dialog-state.ts'
import type { Flow, Target } from './flow.ts'
import type { SipResponse } from './message.ts'
import { inBrackets, type SipStack } from './stack.ts'
import { readHostPort } from './syntax.ts'
import { giveUpMs, moveOnMs } from './timing.ts'
import { newToken } from './transactions.ts'

const mostWords = 400

/** Whether a trunk is found, connected to and answers OPTIONS, step by step up to the first that fails. */
export async function probeTrunk(stack: SipStack, trunk: SipTrunk): Promise<TrunkTestStep[]> {
  const targets = new DialTargets(stack, trunk)
  try {
    return await new Probe(stack, trunk, targets).run()
  } finally {
    // What is answered late is heard out.
    setTimeout(() => targets.forgetPeers(), giveUpMs(stack.options.timing)).unref()
  }
}

class Probe {
  readonly #stack: SipStack
  readonly #trunk: SipTrunk
  readonly #targets: DialTargets
  readonly #callId = newToken()
  readonly #tag = newToken()
  #number = 0

  constructor(stack: SipStack, trunk: SipTrunk, targets: DialTargets) {
    this.#stack = stack
    this.#trunk = trunk
    this.#targets = targets
  }

  async run(): Promise<TrunkTestStep[]> {
    const found = await timed('location', () => this.#locate())
    if (!found.result) return [found.step]
    const connected = await timed('connection', () => this.#connect(found.result ?? []))
    if (!connected.result) return [found.step, connected.step]
    const answered = await timed('options', () => this.#askAll(connected.result ?? []))
    return [found.step, connected.step, answered.step]
  }

  async #locate(): Promise<Outcome<Target[]>> {
    const { hostname, transport } = this.#trunk
    const place = readHostPort(hostname)
    const fix =
      'check outbound_host of the account: it is a host name or an address, with a port if it is not the usual one'
    if (!place) return failed(`${hostname} is no host`, fix)
    try {
      const targets = await this.#targets.of({ ...place, transport })
      const at = targets.map(({ address, port }) => `${inBrackets(address)}:${port}`)
      return ok(`${place.host} is at ${at.join(', ')} over ${transport.toUpperCase()}`, targets)
    } catch (error) {
      return failed(sentenceOf(error, hostname), fix)
    }
  }

  /** Connections of their own, so that the certificate that is shown now is checked. */
  async #connect(targets: readonly Target[]): Promise<Outcome<Flow[]>> {
    const [first] = targets
    if (first?.transport === 'udp') {
      const flows = await Promise.all(targets.map((target) => this.#stack.flowTo(target)))
      return { state: 'skipped', says: 'UDP has no connections', fix: null, result: flows }
    }
    let why = ''
    for (const target of targets) {
      this.#stack.transport.forget(target)
      try {
        const flow = await this.#stack.flowTo(target, moveOnMs(this.#stack.options.timing))
        const checked = target.transport === 'tls' ? `, and its certificate is that of ${target.name}` : ''
        return ok(`${inBrackets(target.address)}:${target.port} took the connection${checked}`, [flow])
      } catch (error) {
        why = sentenceOf(error, target.name)
      }
    }
    return failed(why, fixOfConnecting(why, this.#trunk.transport))
  }

  async #askAll(flows: readonly Flow[]): Promise<Outcome<true>> {
    for (const flow of flows) {
      const response = await this.#ask(flow)
      if (response) return judged(response, this.#stack.addressFor(flow.address))
    }
    return failed(
      'the carrier did not answer OPTIONS',
      'check the port and the transport of outbound_host, and that no firewall drops what comes from the worker or goes to it',
    )
  }

  /** Null if nothing was answered in time. */
  async #ask(flow: Flow): Promise<SipResponse | null> {
    const { auth_username: username, auth_password: password } = this.#trunk
    const response = await this.#askOnce(flow)
    const proof =
      response && username !== '' && proofFor(response, 'OPTIONS', this.#uri, { username, password })
    return proof ? this.#askOnce(flow, proof) : response
  }

  #askOnce(flow: Flow, proof?: readonly [string, string]): Promise<SipResponse | null> {
    const host = this.#trunk.from_domain ?? inBrackets(this.#stack.addressFor(flow.address))
    const user = this.#trunk.auth_username || 'switchroom'
    return this.#stack.askOnce(
      {
        method: 'OPTIONS',
        uri: this.#uri,
        headers: [
          ['max-forwards', '70'],
          ['from', `<sip:${encodeURIComponent(user).replaceAll('%2B', '+')}@${host}>;tag=${this.#tag}`],
          ['to', `<${this.#uri}>`],
          ['call-id', this.#callId],
          ['cseq', `${++this.#number} OPTIONS`],
          ['contact', this.#stack.contact(flow, user)],
          ['accept', 'application/sdp'],
          ['user-agent', 'switchroom'],
          ...(proof ? [proof] : []),
        ],
        body: '',
      },
      flow,
      // A carrier that is there answers within a few sendings.
      moveOnMs(this.#stack.options.timing),
    )
  }

  get #uri(): string {
    const { hostname, transport } = this.#trunk
    return `sip:${hostname}${transport === 'udp' ? '' : `;transport=${transport}`}`
  }
}

type Outcome<Result> = Pick<TrunkTestStep, 'state' | 'says' | 'fix'> & { result?: Result }

const ok = <Result>(says: string, result: Result): Outcome<Result> => ({
  state: 'ok',
  says,
  fix: null,
  result,
})

const failed = (says: string, fix: string): Outcome<never> => ({ state: 'failed', says, fix })

async function timed<Result>(
  step: TrunkTestStep['step'],
  work: () => Promise<Outcome<Result>>,
): Promise<{ step: TrunkTestStep; result?: Result }> {
  const begunMs = performance.now()
  const { result, says, ...outcome } = await work()
  const took_ms = Math.round(performance.now() - begunMs)
  return {
    step: { step, ...outcome, says: plainLine(says, mostWords), took_ms },
    ...(result !== undefined && { result }),
  }
}

/** Many carriers refuse OPTIONS and take calls: only answers that a call would get too are failures. */
function judged({ status, reason }: SipResponse, worker: string): Outcome<true> {
  const answer = `the carrier answered ${`${status} ${plainLine(reason)}`.trimEnd()}`
  if (status < 300) return ok(answer, true)
  if (status === 401 || status === 407)
    return failed(answer, 'check outbound_username and outbound_password of the account')
  if (status === 403)
    return failed(answer, `allow the address ${worker} at the carrier, or check the username of the account`)
  if (status >= 500 && status < 600 && status !== 501)
    return failed(answer, 'wait, or ask the carrier: its server has a fault or is out of service')
  return ok(`${answer}: it is there, and answers OPTIONS so`, true)
}

const sentenceOf = (error: unknown, host: string) =>
  error instanceof MediaError ? error.message : wordsOfConnecting(host, error)

function fixOfConnecting(why: string, transport: SipTrunk['transport']): string {
  if (why.includes('does not match its name'))
    return 'name the host in outbound_host that the certificate is for, or have the carrier show the right one'
  if (why.includes('certificate'))
    return 'have the certificate renewed, or add its CA to ca_certificates of the account'
  if (why.includes('speaks no TLS')) return 'check that the port is the one for TLS, which is usually 5061'
  return `check the port, that the carrier takes ${transport.toUpperCase()} there, and that no firewall is between`
}
