import type { RealtimeConversation } from './conversation.ts'
import { PieceQueue } from '../piece-queue.ts'
import type { RealtimeReply } from './reply.ts'
import { SpeechResampler } from '../speech-resampler.ts'
import type { WordClock } from '../word-clock.ts'

/** How often a text that broke off is asked for. */
const mostTries = 3

/** One message of the agent as a realtime model says it: one reply, or several with tools between them. */
export class RealtimeSpeech {
  readonly #conversation: RealtimeConversation
  readonly #sampleRate: number
  readonly #coming = new PieceQueue<RealtimeReply>()
  readonly #replies: RealtimeReply[] = []
  /** Where each item of a reply begins in the message. */
  readonly #fromMs = new Map<string, number>()
  /** The beginning of a word whose rest has not come. */
  #unfinished = ''

  constructor(conversation: RealtimeConversation, sampleRate: number) {
    this.#conversation = conversation
    this.#sampleRate = sampleRate
  }

  add(reply: RealtimeReply) {
    this.#replies.push(reply)
    this.#coming.put(reply)
  }

  /** Has the model say a text as it is. */
  say(text: string) {
    this.add(this.#conversation.say(text))
  }

  complete() {
    this.#coming.end()
  }

  /** What is known of the text and not placed yet. */
  get waiting(): string {
    const pieces = this.#replies.flatMap(({ sound }) => sound.waiting)
    return this.#unfinished + pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')
  }

  async *samples(clock: WordClock, signal: AbortSignal): AsyncIterable<Int16Array> {
    for await (const reply of this.#coming.taken(signal)) {
      let now = reply
      for (let tries = 1; ; tries += 1) {
        const from = clock.text.length
        try {
          yield* this.#samplesOf(now, clock, signal)
          break
        } catch (error) {
          if (signal.aborted || (now.given !== null && tries >= mostTries)) throw error
          clock.cut()
          const rest = this.#restOf(now, clock.text.slice(from))
          if (!rest) break
          now = rest
        }
      }
    }
  }

  /** The rest of a text, to be requested again; null for an answer, which its turn requests again. */
  #restOf({ given }: RealtimeReply, heard: string): RealtimeReply | null {
    const rest = wordsIn(given ?? '')
      .slice(wordsIn(heard).length)
      .join(' ')
    if (rest === '') return null
    const reply = this.#conversation.say(rest)
    this.#replies.push(reply)
    return reply
  }

  async *#samplesOf(reply: RealtimeReply, clock: WordClock, signal: AbortSignal): AsyncIterable<Int16Array> {
    let resampling: SpeechResampler | undefined
    clock.begin('')
    const heard = (samples: Int16Array) => {
      clock.addAudio((samples.length / this.#sampleRate) * 1_000)
      return samples
    }
    try {
      for await (const piece of reply.sound.taken(signal)) {
        if (piece.type === 'text') clock.goOn(this.#wholeWords(piece.text))
        else {
          resampling ??= new SpeechResampler(
            reply.run?.realtime.sampleRate ?? this.#sampleRate,
            this.#sampleRate,
          )
          if (!this.#fromMs.has(piece.item)) this.#fromMs.set(piece.item, clock.audioMs)
          for (const samples of resampling.take(piece.pcm)) yield heard(samples)
        }
      }
      for (const samples of resampling?.rest() ?? []) yield heard(samples)
      clock.goOn(this.#wholeWords(' '))
      clock.finish()
    } finally {
      this.#unfinished = ''
    }
  }

  #wholeWords(text: string): string {
    const words = this.#unfinished + text
    const end = words.search(/(?<!\S)\S*$/u)
    this.#unfinished = words.slice(end)
    return words.slice(0, end)
  }

  /** Playback stopped: sends the model how much was heard. */
  cut(playedMs: number) {
    for (const reply of this.#replies) {
      this.#conversation.stop(reply)
      for (const [item, lengthMs] of reply.items) {
        const fromMs = this.#fromMs.get(item) ?? playedMs
        const heardMs = Math.min(lengthMs, Math.max(0, playedMs - fromMs))
        if (heardMs < lengthMs) this.#conversation.cut(reply, item, heardMs)
      }
    }
  }
}

const wordsIn = (text: string): string[] => text.match(/\S+/gu) ?? []
