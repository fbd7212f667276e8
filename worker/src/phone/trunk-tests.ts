import type { DialTold } from '@switchroom/contract/media-plane'
import type { TrunkTestStep, TrunkTestTask } from '@switchroom/contract/trunk-tests'
import type { SipDialog, SipServer } from '@switchroom/media/sip/server'
import type { Logger } from 'pino'
import type { GatewayClient } from '../gateway-client.ts'
import type { Dial } from '../processes/running-calls.ts'
import { failureOf, sentenceOf, statusOf } from './dial-failures.ts'
import type { DialledAddresses } from './dialled-addresses.ts'
import { checkSound, type SoundFound } from './sound-check.ts'
import { openLeg } from './test-legs.ts'

/** A worker that has just started lets an own number ring for a while. */
const ringForMs = 45_000
const byeWithinMs = 5_000

export interface TrunkTestsParts {
  gateway: Pick<GatewayClient, 'tellTrunkTest'>
  /** Undefined if every call comes from a media server. */
  sip: Pick<SipServer, 'probe'> | undefined
  addresses: Pick<DialledAddresses, 'expect'>
  dial: Dial
  logger: Logger
}

interface Report {
  steps: TrunkTestStep[]
  dial?: DialTold
}

/** Tests of trunks that this worker runs. */
export class TrunkTests {
  readonly #parts: TrunkTestsParts

  constructor(parts: TrunkTestsParts) {
    this.#parts = parts
  }

  async run(task: TrunkTestTask): Promise<void> {
    const { gateway, logger } = this.#parts
    const report = await (task.call ? this.#call(task.trunk, task.call) : this.#probe(task.trunk))
    await gateway
      .tellTrunkTest(task.id, report)
      .catch((error: unknown) => logger.info({ err: error, test: task.id }, 'a test is not wanted any more'))
  }

  async #probe(trunk: TrunkTestTask['trunk']): Promise<Report> {
    const { sip, addresses } = this.#parts
    await addresses.expect(trunk.hostname, trunk.transport)
    if (!sip) throw new Error('this worker has no phones of its own')
    return { steps: await sip.probe(trunk) }
  }

  async #call(trunk: TrunkTestTask['trunk'], { to, from }: { to: string; from: string }): Promise<Report> {
    const begunMs = performance.now()
    const signal = AbortSignal.timeout(ringForMs)
    const stepOf = (step: Omit<TrunkTestStep, 'took_ms' | 'step'>): TrunkTestStep => ({
      step: 'call',
      ...step,
      took_ms: since(begunMs),
    })
    let dialog: SipDialog
    try {
      dialog = await this.#parts.dial(to, trunk, from, signal)
    } catch (error) {
      const isUnanswered = signal.aborted
      const says = isUnanswered ? `nobody answered within ${ringForMs / 1000} s` : sentenceOf(error)
      const fix = isUnanswered ? 'call a number that answers by itself' : fixOf(error)
      const dial = isUnanswered ? { outcome: 'no_answer' as const, why: says } : failureOf(error, signal)
      return { steps: [stepOf({ state: 'failed', says, fix })], dial }
    }
    const answered = stepOf({ state: 'ok', says: `${to} answered`, fix: null })
    return { steps: [answered, ...(await soundOf(dialog))], dial: { outcome: 'answered' } }
  }
}

const since = (begunMs: number) => Math.round(performance.now() - begunMs)

/** Whether sound comes through an answered call, and whether it ends. */
async function soundOf(dialog: SipDialog): Promise<TrunkTestStep[]> {
  const begunMs = performance.now()
  const sound = await openLeg(dialog).then(
    async (leg) => judged(await checkSound(leg)),
    (error: unknown) => ({ state: 'failed' as const, says: sentenceOf(error), fix: portsFix }),
  )
  const heard: TrunkTestStep = { step: 'sound', ...sound, took_ms: since(begunMs) }
  return [heard, await hungUp(dialog)]
}

async function hungUp(dialog: SipDialog): Promise<TrunkTestStep> {
  const begunMs = performance.now()
  let late: NodeJS.Timeout | undefined
  const timeout = new Promise<'late'>((resolve) => {
    late = setTimeout(() => resolve('late'), byeWithinMs)
  })
  const end = await Promise.race([dialog.bye().then(() => dialog.ended), timeout]).catch(
    () => 'late' as const,
  )
  clearTimeout(late)
  const isOver = end !== 'late'
  return {
    step: 'hangup',
    state: isOver ? 'ok' : 'failed',
    says: isOver ? 'the call was hung up' : 'the carrier did not answer the end of the call (BYE)',
    fix: isOver
      ? null
      : 'check that the carrier reaches the worker at the address in its Contact, SVC_MEDIA_ADDRESS',
    took_ms: since(begunMs),
  }
}

const portsFix =
  'open the UDP ports of SVC_MEDIA_PORTS to the carrier both ways, and set SVC_MEDIA_ADDRESS to the address that the carrier reaches'

function judged({ heard, afterMs }: SoundFound): Pick<TrunkTestStep, 'state' | 'says' | 'fix'> {
  if (heard === 'tone') return { state: 'ok', says: `our tone came back after ${afterMs} ms`, fix: null }
  if (heard === 'sound')
    return {
      state: 'ok',
      says: 'sound came from the far end, which did not send our tone back',
      fix: 'call a number that echoes to prove the way out, too, such as a number of the org itself',
    }
  if (heard === 'silence')
    return {
      state: 'failed',
      says: 'packets came, and all of them were silent',
      fix: 'call a number that echoes or speaks, and check that the carrier forwards sound before it is sent any',
    }
  return { state: 'failed', says: 'no sound came from the carrier', fix: portsFix }
}

function fixOf(error: unknown): string {
  const status = statusOf(error)
  if (status === 401 || status === 407) return 'check outbound_username and outbound_password of the account'
  if (status === 403)
    return 'ask the carrier what it does not allow: this worker’s address, the number to call from, or the destination'
  if (status === 404 || status === 484)
    return 'check the number, and number_form of the account: the carrier may expect it in another form'
  if (status === 488 || status === 606)
    return 'check encryption of the account, and which codecs the carrier takes'
  if (status === 486 || status === 480 || status === 600 || status === 603)
    return 'the trunk carries calls: call a number that answers'
  return 'ask the carrier why it does not put the call through'
}
