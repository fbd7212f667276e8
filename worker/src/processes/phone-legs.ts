import type { Socket } from 'node:dgram'
import { MediaError } from '@switchroom/media/plane'
import type { MediaTerms } from '@switchroom/media/rtp/media-terms'
import type { SipDialog } from '@switchroom/media/sip/server'
import type { KeyedSecurity } from '@switchroom/media/srtp/media-security'
import type { HeldPort } from './held-port.ts'
import type { EarlyPacket, ToProcess } from '../process-messages.ts'
import type { CallProcessHandle } from './call-process-handle.ts'

/** A phone leg as its signalling knows it. */
export interface PhoneLeg {
  dialog: SipDialog
  /** As they were agreed last. */
  terms: MediaTerms
  call: string
  /** What it is encrypted with, if a handshake had to find it. */
  keys?: KeyedSecurity
}

interface Opening {
  call: string
  settle: (error: Error | null) => void
}

/** Every phone leg of this worker: its signalling is here, its sound in the process that runs its call. */
export class PhoneLegs {
  readonly #legs = new Map<string, PhoneLeg>()
  /** Whose sound is being bound, before they are answered. */
  readonly #opening = new Map<string, Opening>()
  #soFar = 0

  newId(): string {
    this.#soFar += 1
    return `leg_${this.#soFar}`
  }

  get(id: string): PhoneLeg | undefined {
    return this.#legs.get(id)
  }

  /** Binds a leg's sound; rejects with a `MediaError` if its port cannot be had. One that is held is handed over. */
  open(
    { leg: id, call, process }: { leg: string; call: string; process: CallProcessHandle },
    terms: MediaTerms,
    held?: HeldPort,
  ): Promise<void> {
    if (process.isOver) return Promise.reject(gone())
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const settle = (error: Error | null) => {
      this.#opening.delete(id)
      if (error) reject(error)
      else resolve()
    }
    this.#opening.set(id, { call, settle })
    const message = { type: 'leg.open', leg: id, terms } as const
    if (held) void handOver(held, process, message)
    else process.send(message)
    return promise
  }

  /** What a process says of one that it was to bind. */
  opened(id: string, failure: string | null): void {
    this.#opening.get(id)?.settle(failure === null ? null : new MediaError(failure))
  }

  /** What a handshake found in the process that has the sound. */
  keepKeys(id: string, keys: KeyedSecurity): void {
    const leg = this.#legs.get(id)
    if (leg) leg.keys = keys
  }

  /** They have answered. */
  add(id: string, call: string, dialog: SipDialog, process: CallProcessHandle): void {
    const leg: PhoneLeg = { dialog, terms: dialog.terms, call }
    this.#legs.set(id, leg)
    dialog.onTermsChanged((terms, isHeld) => {
      leg.terms = terms
      process.send({ type: 'leg.terms', leg: id, terms, isHeld })
    })
    dialog.onInfoTone((digit) => process.send({ type: 'leg.tone', leg: id, digit }))
    void this.#tellEnd(id, dialog, process)
  }

  async #tellEnd(id: string, dialog: SipDialog, process: CallProcessHandle) {
    const end = await dialog.ended
    this.#legs.delete(id)
    process.send({ type: 'leg.ended', leg: id, end })
  }

  /** Another process has it from now on. */
  release(id: string): PhoneLeg | undefined {
    const leg = this.#legs.get(id)
    this.#legs.delete(id)
    return leg?.keys ? { ...leg, terms: { ...leg.terms, security: leg.keys } } : leg
  }

  /** Every leg of a call that is over, or whose process is. */
  hangUp(call: string): void {
    for (const opening of this.#opening.values()) if (opening.call === call) opening.settle(gone())
    for (const [id, leg] of this.#legs) {
      if (leg.call !== call) continue
      this.#legs.delete(id)
      void leg.dialog.bye().catch(() => {})
    }
  }
}

const gone = () => new Error('the process for the call is gone')

async function handOver(
  held: HeldPort,
  process: CallProcessHandle,
  opening: Extract<ToProcess, { type: 'leg.open' }>,
): Promise<void> {
  const send = (socket: Socket, early: EarlyPacket[]) => process.sendSocket({ ...opening, early }, socket)
  const packets = await held.handOver(send)
  if (packets.length > 0) process.send({ type: 'leg.early', leg: opening.leg, packets })
}
