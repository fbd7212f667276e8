import type { OpenedWorkerCall } from '@switchroom/contract/worker'
import type { Leg } from '@switchroom/media/leg'
import { RoomLeg, type RoomCaller } from '@switchroom/media/livekit/room'
import { LiveKitServer } from '@switchroom/media/livekit/server'
import { resampled } from '@switchroom/audio/resampler'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { GatewayRefusal, type GatewayClient } from '../gateway-client.ts'
import { partiesOf } from './livekit-job.ts'
import { Ringing } from '../phone/outbound.ts'
import type { RoomTask, SentenceAsked } from '../process-messages.ts'
import type { JoinLegs } from '../call/spoken-call.ts'
import type { DialLeg } from '../call/transfers.ts'
import { withoutKeypad } from '../call/without-keypad.ts'

const sentenceRate = 8_000
const phoneForm = /^\+[1-9]\d{6,14}$/
/** The gateway says how a dial went soon after the room is gone; past this it is gone itself. */
const toldWithinMs = 30_000
/** A caller who only hears a sentence is in the room already. */
const thereWithinMs = 5_000

export interface RoomCallParts {
  gateway: GatewayClient
  logger: Logger
  /** Runs a call that is opened and answered, to its end. */
  run: (
    opened: OpenedWorkerCall,
    leg: Leg,
    endsAt: number | null,
    means: { dial: DialLeg; join: JoinLegs },
  ) => Promise<void>
  sentence: (asked: SentenceAsked) => Promise<Int16Array | undefined>
}

/** Calls in rooms of a LiveKit server. */
export class RoomCalls {
  readonly #parts: RoomCallParts

  constructor(parts: RoomCallParts) {
    this.#parts = parts
  }

  async run(task: RoomTask): Promise<void> {
    const { way, call } = task
    if (way === 'lost') return this.#tellLost(task)
    if (way === 'arrived' || way === 'overflow') return this.#arrived(task)
    const opened = await this.#opened(() => this.#parts.gateway.openCall({ call }), call)
    if (!opened) {
      await new LiveKitServer(task.server).deleteRoom(task.terms.room)
      return
    }
    const leg = await this.#joined(task)
    if (!leg) return this.#tellFailed(call)
    if (way === 'placed') await this.#placed(task, opened, leg)
    else await this.#converse(task, opened, leg)
  }

  /** A phone call: LiveKit lets it ring until the worker subscribes, so a call that the gateway refuses is not answered. */
  async #arrived(task: RoomTask) {
    const { gateway, logger } = this.#parts
    const leg = await this.#joined(task)
    const caller = await leg?.caller
    if (!leg || !caller) return
    const parties = partiesOf(caller)
    if (!parties) {
      logger.warn({ call: task.call }, 'a room was handed over in which no phone called a number')
      return leg.hangUp()
    }
    const isOverflow = task.way === 'overflow'
    const wanted = { ...parties, call: task.call, ...(isOverflow && { overflow: true }) }
    const opened = await this.#opened(() => gateway.openCall(wanted), task.call)
    if (!opened) return leg.hangUp()
    if (!isOverflow) return this.#converse(task, opened, leg)
    const told = await gateway.config(opened.agent, opened.call).catch(() => undefined)
    await this.#tell('busy', told?.config.language, leg, caller)
  }

  /** The gateway dials, and says in the log how that went. */
  async #placed(task: RoomTask, opened: OpenedWorkerCall, leg: RoomLeg) {
    const ringing = new Ringing(this.#parts.gateway, task.call)
    try {
      const isLate = leg.ended.then(() => sleep(toldWithinMs, 'late', { ref: false }))
      const late = await Promise.race([ringing.started, isLate])
      if (late || ringing.isEnded) return await leg.hangUp()
    } finally {
      ringing.stop()
    }
    await this.#converse(task, opened, leg)
  }

  async #converse({ endsAt }: RoomTask, opened: OpenedWorkerCall, leg: RoomLeg) {
    leg.answer()
    const caller = await leg.caller
    await this.#parts.run(opened, caller?.isPhone ? leg : withoutKeypad(leg), endsAt, {
      dial: (dial, signal) => leg.bring(dial, signal),
      join: (_caller, guest) => leg.leaveTo(guest),
    })
  }

  /** The process that ran it is gone; the gateway ends the call. */
  async #tellLost(task: RoomTask) {
    const leg = await this.#joined(task)
    const caller = await Promise.race([leg?.caller, sleep(thereWithinMs, null, { ref: false })])
    if (leg) await this.#tell('lost', task.language, leg, caller ?? null)
  }

  async #tell(
    occasion: SentenceAsked['occasion'],
    language: string | undefined,
    leg: RoomLeg,
    caller: RoomCaller | null,
  ) {
    try {
      const callsBack = phoneForm.test((caller && partiesOf(caller)?.from) ?? '')
      const clip = caller && (await this.#parts.sentence({ occasion, language, callsBack }))
      leg.answer()
      if (clip) void leg.play(resampled(clip, sentenceRate, leg.sampleRate))
      await leg.drained()
    } finally {
      await leg.hangUp()
    }
  }

  /** Undefined if the gateway does not want it to be run. */
  async #opened(open: () => Promise<OpenedWorkerCall>, call: string): Promise<OpenedWorkerCall | undefined> {
    try {
      return await open()
    } catch (error) {
      const level = error instanceof GatewayRefusal ? 'info' : 'warn'
      this.#parts.logger[level]({ err: error, call }, 'a call in a room could not be opened')
      return undefined
    }
  }

  /** Undefined if it cannot be joined; then the room is closed. */
  async #joined({ terms, server: address, call }: RoomTask): Promise<RoomLeg | undefined> {
    const server = new LiveKitServer(address)
    try {
      return await RoomLeg.join(terms, server)
    } catch (error) {
      this.#parts.logger.warn({ err: error, call }, 'a room could not be joined')
      await server.deleteRoom(terms.room).catch((failure: unknown) => {
        this.#parts.logger.warn({ err: failure, call }, 'a room could not be ended')
      })
      return undefined
    }
  }

  async #tellFailed(call: string) {
    const ended = { type: 'call.ended', data: { reason: 'failed' } }
    await this.#parts.gateway.append(call, { entries: [ended] }).catch(() => {})
  }
}
