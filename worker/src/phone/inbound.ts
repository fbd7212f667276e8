import type { OpenWorkerCall } from '@switchroom/contract/worker'
import type { IncomingInvite, SipDialog } from '@switchroom/media/sip/server'
import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { GatewayRefusal, type GatewayClient } from '../gateway-client.ts'
import { HeldPort } from '../processes/held-port.ts'
import type { RunningCalls } from '../processes/running-calls.ts'
import type { Sentences } from '../sentences.ts'
import { echo } from './test-legs.ts'

/** Until then the caller hears it ring. Answered before, the call would have no heartbeat. */
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

interface AnsweredCaller {
  dialog: SipDialog
  port: HeldPort
  callsBack: boolean
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
    const giveBack = calls.awaitCaller()
    const call = `call_${randomBytes(9).toString('base64url')}`
    try {
      await this.#answer(invite, call)
    } catch (error) {
      const isTold = error instanceof GatewayRefusal
      if (!isTold) logger.warn({ err: error, call }, 'a call could not be answered')
      const answer = (isTold && sipOf[error.status]) || away
      if (!invite.signal.aborted) invite.reject(...answer)
    } finally {
      giveBack()
    }
  }

  /** Until the caller acknowledges the answer nothing is opened and no process taken: their address may be forged. */
  async #answer(invite: IncomingInvite, call: string) {
    const { gateway, calls, localOrg } = this.#parts
    const { number, agent, from, divertedFrom } = invite
    const isOverflow = calls.isFull
    if (!isOverflow) {
      invite.ring()
      await calls.processes.untilReady(readyWithinMs)
    }
    if (invite.signal.aborted) return
    const wanted: OpenWorkerCall = {
      call,
      from,
      ...(number === null ? agent !== null && { agent } : { number }),
      ...(divertedFrom !== '' && { diverted_from: divertedFrom }),
    }
    const place = number === null && localOrg !== undefined ? { org: localOrg } : {}
    const would = await gateway.openCall(
      { ...wanted, dry_run: true, ...(isOverflow && { overflow: true }) },
      place,
    )
    if (would.echo) return this.#echo(invite)
    const port = new HeldPort()
    const dialog = await this.#accepted(invite, call, port)
    if (dialog) await this.#begin(dialog, wanted, place, port)
    await port.release()
  }

  /** A trunk's own test calls: no agent is asked. */
  async #echo(invite: IncomingInvite) {
    const dialog = await invite.accept()
    void echo(dialog).catch((error: unknown) => {
      this.#parts.logger.info({ err: error }, 'the call of a test was not echoed')
      void dialog.bye().catch(() => {})
    })
  }

  /** Undefined if the caller gave up meanwhile, or never acknowledged the answer. */
  async #accepted(invite: IncomingInvite, call: string, port: HeldPort): Promise<SipDialog | undefined> {
    try {
      return await invite.accept((terms) => port.bind(terms))
    } catch (error) {
      this.#parts.logger.info({ err: error, call }, 'a caller was not answered')
      return undefined
    }
  }

  /** The caller is there. */
  async #begin(dialog: SipDialog, wanted: OpenWorkerCall, place: { org?: string }, port: HeldPort) {
    const { gateway, calls, logger } = this.#parts
    const reserved = calls.reserve()
    const giveBack = reserved ?? calls.occupy()
    const callsBack = phoneForm.test(wanted.from ?? '')
    try {
      if (reserved) await this.#run({ dialog, port, callsBack }, wanted, place)
      else {
        await port.release()
        await this.#tellBusy(await gateway.openCall({ ...wanted, overflow: true }, place), dialog, callsBack)
      }
    } catch (error) {
      logger.warn({ err: error, call: wanted.call }, 'a call that was answered could not be run')
      await dialog.bye().catch(() => {})
    } finally {
      giveBack()
    }
  }

  async #run({ dialog, port, callsBack }: AnsweredCaller, wanted: OpenWorkerCall, place: { org?: string }) {
    const { gateway, calls } = this.#parts
    const call = wanted.call ?? ''
    const phone = calls.placeForPhone(call)
    // beside each other: the caller may speak already
    const [bound, opening] = await Promise.allSettled([
      phone.open(dialog.terms, port),
      gateway.openCall(wanted, place),
    ])
    if (opening.status === 'fulfilled' && bound.status === 'fulfilled')
      return phone.run(opening.value, dialog, null, callsBack)
    phone.giveBack()
    if (opening.status === 'rejected') throw opening.reason
    const ended = { type: 'call.ended', data: { reason: 'failed' } }
    await gateway.append(call, { entries: [ended] }).catch(() => {})
    throw bound.status === 'rejected' ? bound.reason : new Error('the call could not be run')
  }

  /** Every place is taken: the caller hears so, and the gateway has written down which number to call back. */
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
