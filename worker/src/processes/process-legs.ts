import type { Socket } from 'node:dgram'
import type { Leg, LegEnd, SoundState } from '@switchroom/media/leg'
import { MediaError } from '@switchroom/media/plane'
import type { MediaTerms } from '@switchroom/media/rtp/media-terms'
import { RtpLeg } from '@switchroom/media/rtp/rtp-leg'
import type { EarlyPacket, FromProcess, LegDial, SentenceAsked, ToProcess } from '../process-messages.ts'

type Answer = Extract<ToProcess, { type: 'answer' }>
type OpenLeg = Extract<ToProcess, { type: 'leg.open' }>

interface HeldLeg {
  /** Once its port is bound. */
  leg: RtpLeg | undefined
  /** What changed before it was. */
  changed: [terms: MediaTerms, isHeld: boolean] | undefined
  ended: (end: LegEnd) => void
}

/** The phone legs of this process: sound here, signalling at the worker's. */
export class ProcessLegs {
  readonly #send: (message: FromProcess) => void
  readonly #legs = new Map<string, HeldLeg>()
  /** Bound, and not answered yet. */
  readonly #unanswered = new Map<string, RtpLeg>()
  readonly #asked = new Map<number, PromiseWithResolvers<Answer>>()
  #asks = 0

  constructor(send: (message: FromProcess) => void) {
    this.#send = send
  }

  /** The leg of a party who has answered; its port may have been bound before. */
  async answered(id: string, terms: MediaTerms): Promise<RtpLeg> {
    const bound = this.#unanswered.get(id)
    const leg = bound ?? (await this.#open(id, terms))
    this.#unanswered.delete(id)
    leg.begin(terms)
    leg.onKeys((keys) => this.#send({ type: 'leg.keys', leg: id, keys }))
    return leg
  }

  /** Nothing is sent before they are answered. */
  async #prepare({ leg: id, terms, early = [] }: OpenLeg, bound?: Socket): Promise<void> {
    try {
      const leg = await this.#open(id, terms, bound)
      leg.wait()
      takeEarly(leg, early)
      this.#unanswered.set(id, leg)
      this.#send({ type: 'leg.opened', leg: id, failure: null })
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error)
      this.#send({ type: 'leg.opened', leg: id, failure })
    }
  }

  async #open(id: string, terms: MediaTerms, bound?: Socket): Promise<RtpLeg> {
    const { promise: ended, resolve } = Promise.withResolvers<LegEnd>()
    // held from the beginning: they may hang up before the port is bound
    const held: HeldLeg = { leg: undefined, changed: undefined, ended: resolve }
    this.#legs.set(id, held)
    const forget = () => {
      this.#legs.delete(id)
      this.#unanswered.delete(id)
    }
    const signalling = {
      hangUp: async () => this.#send({ type: 'leg.hangUp', leg: id }),
      transfer: async (to: string) =>
        void (await this.#ask((ask) => ({ type: 'leg.refer', leg: id, to, ask }))),
      press: async (key: string) =>
        void (await this.#ask((ask) => ({ type: 'leg.press', leg: id, key, ask }))),
      tellSound: (sound: SoundState) => this.#send({ type: 'leg.sound', leg: id, sound }),
      ended,
    }
    const leg = await RtpLeg.open(terms, signalling, bound).catch((error: unknown) => {
      forget()
      throw error
    })
    held.leg = leg
    if (held.changed) leg.updateTerms(...held.changed)
    void leg.ended.then(forget)
    return leg
  }

  /** A second person is brought to the phone. */
  async dial(call: string, dial: LegDial, signal: AbortSignal): Promise<Leg> {
    if (signal.aborted) throw new MediaError('the dial was given up')
    const answered = this.#ask((ask) => {
      signal.addEventListener('abort', () => this.#send({ type: 'leg.giveUp', ask }), { once: true })
      return { type: 'leg.dial', call, dial, ask }
    })
    const { dialled } = await answered
    if (!dialled) throw new MediaError('the call was not answered')
    return this.answered(dialled.leg, dialled.terms)
  }

  /** One of the worker's own sentences, at 8 kHz; undefined if it could not be made. */
  async sentence(asked: SentenceAsked): Promise<Int16Array | undefined> {
    const { clip } = await this.#ask((ask) => ({ type: 'sentence', asked, ask }))
    if (clip === undefined) return undefined
    const bytes = Uint8Array.from(Buffer.from(clip, 'base64'))
    return new Int16Array(bytes.buffer)
  }

  /** A socket comes with a leg that another process has bound. */
  take(message: ToProcess, socket?: Socket): void {
    if (message.type === 'answer') return this.#asked.get(message.ask)?.resolve(message)
    if (!('leg' in message)) return
    if (message.type === 'leg.open') return void this.#prepare(message, socket)
    const held = this.#legs.get(message.leg)
    if (message.type === 'leg.terms') this.#change(held, message.terms, message.isHeld)
    else if (message.type === 'leg.tone') held?.leg?.press(message.digit)
    else if (message.type === 'leg.early') takeEarly(held?.leg, message.packets)
    else held?.ended(message.end)
  }

  #change(held: HeldLeg | undefined, terms: MediaTerms, isHeld: boolean): void {
    if (held?.leg) held.leg.updateTerms(terms, isHeld)
    else if (held) held.changed = [terms, isHeld]
  }

  async #ask(question: (ask: number) => FromProcess): Promise<Answer> {
    this.#asks += 1
    const ask = this.#asks
    const waiting = Promise.withResolvers<Answer>()
    this.#asked.set(ask, waiting)
    this.#send(question(ask))
    const answer = await waiting.promise
    this.#asked.delete(ask)
    if (answer.failure !== null) throw new MediaError(answer.failure)
    return answer
  }
}

function takeEarly(leg: RtpLeg | undefined, packets: readonly EarlyPacket[]): void {
  for (const { bytes, ...from } of packets) leg?.receive(Buffer.from(bytes, 'base64'), from)
}
