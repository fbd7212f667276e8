import type { Placement } from '@switchroom/contract/media-plane'
import type { OpenedWorkerCall } from '@switchroom/contract/worker'
import type { SipDialog } from '@switchroom/media/sip/server'
import type { Logger } from 'pino'
import { GatewayRefusal, type GatewayClient } from '../gateway-client.ts'
import type { Dial, RunningCalls } from '../processes/running-calls.ts'
import { CarriersInOrder } from './carriers-in-order.ts'
import { failureOf, ringForMs } from './dial-failures.ts'

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
      const carriers = new CarriersInOrder(placement)
      const dialog = await this.#dial(placement, carriers, ringing.signal)
      if (dialog) await this.#answered(opened, dialog, carriers, ringing, endsAt)
    } finally {
      ringing.stop()
    }
  }

  async #dial(
    { call, to, from }: Placement,
    carriers: CarriersInOrder,
    signal: AbortSignal,
  ): Promise<SipDialog | undefined> {
    const { gateway, logger, calls, dial } = this.#parts
    try {
      await calls.processes.untilReady(readyWithinMs)
      return await carriers.dial((trunk, more) => dial(to, trunk, from, signal, more), signal)
    } catch (error) {
      const told = { ...failureOf(error, signal), ...carriers.told }
      logger.info({ err: error, call, ...told }, 'a dialled call was not answered')
      await gateway
        .tellPlacement(call, told)
        .catch((refused: unknown) => logger.info({ err: refused, call }, 'the call is not wanted any more'))
      return undefined
    }
  }

  async #answered(
    opened: OpenedWorkerCall,
    dialog: SipDialog,
    carriers: CarriersInOrder,
    ringing: Ringing,
    endsAt: number,
  ) {
    const { gateway, logger, calls } = this.#parts
    try {
      await gateway.tellPlacement(opened.call, { outcome: 'answered', ...carriers.told })
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
