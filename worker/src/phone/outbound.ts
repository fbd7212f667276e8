import type { Placement, TellPlacement } from '@switchroom/contract/media-plane'
import type { OpenedWorkerCall } from '@switchroom/contract/worker'
import { plainLine } from '@switchroom/media/failure-words'
import { MediaError, outcomeOfSip } from '@switchroom/media/plane'
import { SipRefused, SipUnanswered, type SipDialog } from '@switchroom/media/sip/server'
import type { Logger } from 'pino'
import { GatewayRefusal, type GatewayClient } from '../gateway-client.ts'
import type { Dial, RunningCalls } from '../processes/running-calls.ts'

const ringForMs = 60_000
const beatEveryMs = 10_000
/** Dials only once a call process is ready. */
const readyWithinMs = 30_000
/** The gateway logs the answer before anything is said. */
const startedWithinMs = 5_000

export interface OutboundParts {
  gateway: GatewayClient
  logger: Logger
  calls: RunningCalls
  dial: Dial
}

/** Calls that this worker dials. */
export class Outbound {
  readonly #parts: OutboundParts

  constructor(parts: OutboundParts) {
    this.#parts = parts
  }

  async place(placement: Placement): Promise<void> {
    const { gateway, logger } = this.#parts
    const { call } = placement
    const endsAt = Date.now() + placement.max_duration_s * 1000
    const opened = await gateway.openCall({ call }).catch(async (error: unknown) => {
      logger.warn({ err: error, call }, 'a call to dial could not be taken')
      const why = error instanceof GatewayRefusal ? error.message : 'the worker could not take the call'
      await gateway.tellPlacement(call, { outcome: 'dial_failed', why }).catch(() => {})
      return undefined
    })
    if (!opened) return
    const ringing = new Ringing(gateway, call)
    try {
      const dialog = await this.#dial(placement, ringing.signal)
      if (dialog) await this.#answered(opened, dialog, ringing, endsAt)
    } finally {
      ringing.stop()
    }
  }

  async #dial({ call, to, trunk, from }: Placement, signal: AbortSignal): Promise<SipDialog | undefined> {
    const { gateway, logger, calls, dial } = this.#parts
    try {
      await calls.processes.untilReady(readyWithinMs)
      return await dial(to, trunk, from, signal)
    } catch (error) {
      const told = failureOf(error, signal)
      logger.info({ err: error, call, ...told }, 'a dialled call was not answered')
      await gateway
        .tellPlacement(call, told)
        .catch((refused: unknown) => logger.info({ err: refused, call }, 'the call is not wanted any more'))
      return undefined
    }
  }

  async #answered(opened: OpenedWorkerCall, dialog: SipDialog, ringing: Ringing, endsAt: number) {
    const { gateway, logger, calls } = this.#parts
    try {
      await gateway.tellPlacement(opened.call, { outcome: 'answered' })
      await ringing.started
      if (ringing.isEnded) throw new Error('it was ended meanwhile')
      calls.placeForPhone(opened.call).run(opened, dialog, endsAt, true)
    } catch (error) {
      logger.info({ err: error, call: opened.call }, 'the answered call is not wanted any more')
      await dialog.bye().catch(() => {})
    }
  }
}

/** A call while it rings: it sends heartbeats, and stops when the call is ended. */
export class Ringing {
  readonly signal: AbortSignal
  /** Once the log says that the call has started, or says nothing in time. */
  readonly started: Promise<void>
  isEnded = false
  readonly #over = new AbortController()
  readonly #gaveUp = new AbortController()
  readonly #beating: NodeJS.Timeout

  constructor(gateway: GatewayClient, call: string) {
    this.signal = AbortSignal.any([this.#gaveUp.signal, AbortSignal.timeout(ringForMs)])
    this.#beating = setInterval(() => void gateway.beat(call).catch(() => {}), beatEveryMs)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.started = promise
    // a log that this worker may not read says nothing of the call
    void this.#follow(gateway, call, resolve).catch(() => resolve())
  }

  stop(): void {
    clearInterval(this.#beating)
    this.#over.abort()
  }

  async #follow(gateway: GatewayClient, call: string, resolve: () => void) {
    for await (const { type } of gateway.follow(call, 0, this.#over.signal)) {
      if (type === 'call.answered') setTimeout(resolve, startedWithinMs).unref()
      if (type === 'call.started') resolve()
      if (type !== 'call.ended') continue
      this.isEnded = true
      this.#gaveUp.abort()
      resolve()
    }
    resolve()
  }
}

const mostReason = 200
const mostWhy = 500

/** What the gateway is told of a dial that failed, in words that people read in the log and the ledger. */
export function failureOf(error: unknown, signal: AbortSignal): Omit<TellPlacement, 'worker'> {
  if (signal.aborted) return { outcome: 'no_answer', why: `no answer within ${ringForMs / 1000} s` }
  const why = error instanceof MediaError ? plainLine(error.message, mostWhy) : 'the worker could not dial'
  if (error instanceof SipUnanswered) return { outcome: outcomeOfSip(error.status), why }
  if (error instanceof SipRefused && error.status >= 300 && error.status < 700)
    return { sip_status: error.status, sip_reason: plainLine(error.reason, mostReason), why }
  return { outcome: 'dial_failed', why }
}
