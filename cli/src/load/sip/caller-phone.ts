import { setTimeout as sleep } from 'node:timers/promises'
import { resampled } from '@switchroom/audio/resampler'
import { RtpLeg } from '@switchroom/media/rtp/rtp-leg'
import type { SipDialog, SipServer, SipTrunk } from '@switchroom/media/sip/server'
import { loud } from './recorded-speech.ts'

const answeredWithinMs = 30_000
/** As long as a person waits before they take it that the other has finished. */
const quietMs = 700
const pollMs = 50
const phoneRate = 8_000

export interface CallWanted {
  /** The extension, number or name that is called. */
  to: string
  from: string
  trunk: Pick<SipTrunk, 'hostname' | 'auth_username' | 'auth_password'>
  signal?: AbortSignal
}

/** A phone in a call with an agent: it speaks recorded words, and notices when the agent is heard. */
export class CallerPhone {
  readonly #dialog: SipDialog
  readonly #leg: RtpLeg
  #lastLoudMs = 0
  #onLoud: (() => void) | undefined
  #isOver = false

  private constructor(dialog: SipDialog, leg: RtpLeg) {
    this.#dialog = dialog
    this.#leg = leg
    void this.#listen()
    void dialog.ended.then(() => (this.#isOver = true))
  }

  /** Resolves when the call is answered; rejects with `SipRefused` if it is not. */
  static async call(sip: SipServer, { to, from, trunk, signal }: CallWanted): Promise<CallerPhone> {
    const patience = AbortSignal.timeout(answeredWithinMs)
    const either = signal ? AbortSignal.any([signal, patience]) : patience
    const dialog = await sip.invite(to, { ...trunk, transport: 'udp' }, from, either)
    const leg = await RtpLeg.open(dialog.terms, {
      hangUp: () => dialog.bye(),
      transfer: () => Promise.reject(new Error('this phone is not transferred')),
      ended: dialog.ended,
    })
    return new CallerPhone(dialog, leg)
  }

  /** Whether either side hung up. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Milliseconds from the last sound of the words, when it was due, to the first sound of the answer; undefined without one. */
  async ask(words: Int16Array, withinMs: number): Promise<number | undefined> {
    const lastDueMs = performance.now() + (words.length / phoneRate) * 1_000
    const { sampleRate } = this.#leg
    await this.#leg.play(sampleRate === phoneRate ? words : resampled(words, phoneRate, sampleRate))
    await this.#leg.drained()
    const heard = Promise.withResolvers<number>()
    this.#onLoud = () => heard.resolve(performance.now() - lastDueMs)
    const enough = new AbortController()
    try {
      const late = sleep(withinMs, undefined, { signal: enough.signal }).catch(() => undefined)
      const over = this.#dialog.ended.then(() => undefined)
      return await Promise.race([heard.promise, late, over])
    } finally {
      this.#onLoud = undefined
      enough.abort()
    }
  }

  /** Until the agent has been silent for a moment. */
  async untilQuiet(withinMs = 60_000): Promise<void> {
    const begunMs = performance.now()
    while (
      !this.#isOver &&
      performance.now() - this.#lastLoudMs < quietMs &&
      performance.now() - begunMs < withinMs
    )
      await sleep(pollMs)
  }

  /** Until the agent has said its first words. */
  async untilGreeted(withinMs: number): Promise<void> {
    const begunMs = performance.now()
    while (!this.#isOver && this.#lastLoudMs === 0 && performance.now() - begunMs < withinMs)
      await sleep(pollMs)
    await this.untilQuiet()
  }

  async hangUp(): Promise<void> {
    await this.#dialog.bye()
  }

  async #listen(): Promise<void> {
    for await (const frame of this.#leg.heard()) {
      if (!frame.some((sample) => Math.abs(sample) > loud)) continue
      this.#lastLoudMs = performance.now()
      this.#onLoud?.()
    }
  }
}
