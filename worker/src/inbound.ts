import type { OpenWorkerCall } from '@switchroom/contract/worker'
import type { IncomingInvite, SipDialog } from '@switchroom/media/sip/sip-server'
import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { GatewayRefusal, type GatewayClient } from './gateway-client.ts'
import type { PhonePlace, RunningCalls } from './running-calls.ts'
import type { Sentences } from './sentences.ts'

/** Until then the caller hears it ring. Answered before, nobody would say for them that their call lives. */
const readyWithinMs = 30_000
const phoneForm = /^\+[1-9]\d{6,14}$/

/** What a far end is answered for what the gateway says. */
type SipAnswer = readonly [status: number, reason: string]
const sipOf: Readonly<Record<number, SipAnswer>> = {
  403: [403, 'Forbidden'],
  404: [404, 'Not Found'],
  409: [480, 'Temporarily Unavailable'],
  429: [486, 'Busy Here'],
}
const away: SipAnswer = [503, 'Service Unavailable']

export interface InboundParts {
  gateway: GatewayClient
  logger: Logger
  calls: RunningCalls
  sentences: Sentences
  localOrg: string | undefined
  isDraining: () => boolean
}

/** Calls that come to this worker. */
export class Inbound {
  readonly #parts: InboundParts

  constructor(parts: InboundParts) {
    this.#parts = parts
  }

  async take(invite: IncomingInvite): Promise<void> {
    const { calls, logger, isDraining } = this.#parts
    if (isDraining()) return invite.reject(...away)
    const place = calls.reserve()
    const giveBack = place ?? calls.occupy()
    try {
      await this.#answer(invite, place === undefined)
    } catch (error) {
      const isTold = error instanceof GatewayRefusal
      if (!isTold) logger.warn({ err: error }, 'a call could not be answered')
      const answer = (isTold && sipOf[error.status]) || away
      if (!invite.signal.aborted) invite.reject(...answer)
    } finally {
      giveBack()
    }
  }

  async #answer(invite: IncomingInvite, isOverflow: boolean) {
    const { gateway, calls, localOrg } = this.#parts
    const { number, agent, from } = invite
    if (!isOverflow) {
      invite.ring()
      await calls.processes.untilReady(readyWithinMs)
    }
    if (invite.signal.aborted) return
    const wanted: OpenWorkerCall = {
      call: `call_${randomBytes(9).toString('base64url')}`,
      from,
      ...(number === null ? agent !== null && { agent } : { number }),
      ...(isOverflow && { overflow: true }),
    }
    const place = number === null && localOrg !== undefined ? { org: localOrg } : {}
    const opened = await gateway.openCall(wanted, place)
    const phone = isOverflow ? undefined : calls.placeForPhone(opened.call)
    // bound before they hear of it, so that nothing is lost of what they say and press at once
    const dialog = await this.#accepted(invite, opened.call, phone)
    if (!dialog) return
    const callsBack = phoneForm.test(from)
    if (phone) phone.run(opened, dialog, null, callsBack)
    else await this.#tellBusy(opened, dialog, callsBack)
  }

  /** Undefined where the caller gave up meanwhile, or nobody can speak with them: what was opened for them ends. */
  async #accepted(
    invite: IncomingInvite,
    call: string,
    phone: PhonePlace | undefined,
  ): Promise<SipDialog | undefined> {
    const { gateway, logger } = this.#parts
    try {
      return await invite.accept(phone?.open)
    } catch (error) {
      phone?.giveBack()
      logger.info({ err: error, call }, 'a caller was not answered')
      const ended = { type: 'call.ended', data: { reason: invite.signal.aborted ? 'hangup' : 'failed' } }
      await gateway.append(call, { entries: [ended] }).catch(() => {})
      return undefined
    }
  }

  /** Every place is taken: the caller hears so, and the gateway has written down whom to call back. */
  async #tellBusy({ call, agent }: { call: string; agent: string }, dialog: SipDialog, callsBack: boolean) {
    const { gateway, sentences, logger } = this.#parts
    try {
      const told = await gateway.config(agent, call).catch(() => undefined)
      await sentences.play('busy', told?.config.language, callsBack, dialog.terms)
    } catch (error) {
      logger.warn({ err: error, call }, 'a caller was not told that every place is taken')
    } finally {
      await dialog.bye().catch(() => {})
    }
  }
}
