import type { Leg, LegEnd } from '@switchroom/media/leg'
import { MediaError } from '@switchroom/media/plane'
import type { MediaTerms } from '@switchroom/media/rtp/media-terms'
import { RtpLeg } from '@switchroom/media/rtp/rtp-leg'
import type { FromProcess, LegDial, SentenceAsked, ToProcess } from './process-messages.ts'

type Answer = Extract<ToProcess, { type: 'answer' }>

interface HeldLeg {
  leg: RtpLeg
  /** For keys that come as signalling in place of sound. */
  tone: ((digit: string) => void) | undefined
  ended: (end: LegEnd) => void
}

/** The phone legs of this process: sound here, signalling at the worker's. */
export class ProcessLegs {
  readonly #send: (message: FromProcess) => void
  readonly #legs = new Map<string, HeldLeg>()
  readonly #asked = new Map<number, PromiseWithResolvers<Answer>>()
  #asks = 0

  constructor(send: (message: FromProcess) => void) {
    this.#send = send
  }

  async open(id: string, terms: MediaTerms): Promise<RtpLeg> {
    const { promise: ended, resolve } = Promise.withResolvers<LegEnd>()
    const leg = await RtpLeg.open(terms, {
      hangUp: async () => this.#send({ type: 'leg.hangUp', leg: id }),
      transfer: async (to) => void (await this.#ask((ask) => ({ type: 'leg.refer', leg: id, to, ask }))),
      ended,
    })
    const held: HeldLeg = { leg, tone: undefined, ended: resolve }
    const listen = leg.onTone.bind(leg)
    leg.onTone = (listener) => {
      held.tone = listener
      listen(listener)
    }
    this.#legs.set(id, held)
    void leg.ended.then(() => this.#legs.delete(id))
    return leg
  }

  /** A second person is brought to the phone. */
  async dial(call: string, dial: LegDial, signal: AbortSignal): Promise<Leg> {
    if (signal.aborted) throw new MediaError('nobody waits for them any more')
    const answered = this.#ask((ask) => {
      signal.addEventListener('abort', () => this.#send({ type: 'leg.giveUp', ask }), { once: true })
      return { type: 'leg.dial', call, dial, ask }
    })
    const { dialled } = await answered
    if (!dialled) throw new MediaError('nobody came to the phone')
    return this.open(dialled.leg, dialled.terms)
  }

  /** One of the worker's own sentences, at 8 kHz; undefined where it could not be made. */
  async sentence(asked: SentenceAsked): Promise<Int16Array | undefined> {
    const { clip } = await this.#ask((ask) => ({ type: 'sentence', asked, ask }))
    if (clip === undefined) return undefined
    const bytes = Uint8Array.from(Buffer.from(clip, 'base64'))
    return new Int16Array(bytes.buffer)
  }

  take(message: ToProcess): void {
    if (message.type === 'answer') return this.#asked.get(message.ask)?.resolve(message)
    if (message.type === 'run' || message.type === 'end' || message.type === 'call.end') return
    const held = this.#legs.get(message.leg)
    if (message.type === 'leg.terms') held?.leg.updateTerms(message.terms, message.isHeld)
    else if (message.type === 'leg.tone') held?.tone?.(message.digit)
    else held?.ended(message.end)
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
