import type { Exchange } from './exchange.ts'
import type { Message } from './messages.ts'
import type { Answering } from './program-pool.ts'
import { SpokenSentence } from './spoken-sentence.ts'

/** As of a greeting, which many callers hear; what is longer is seldom said twice. */
const longestText = 200
const mostBytes = 4 * 2 ** 20
/** Less than the voice waits for its next request, so that what keeps it warm reaches it. */
const keptMs = 2 * 60_000

/** Speaks a short text once if it is asked for several times at once or soon again, in the same voice and pace. */
export class VoiceCache implements Answering {
  readonly #voices: Answering
  readonly #keptMs: number
  /** Under way or complete, in the order in which they were last asked for. */
  readonly #sentences = new Map<string, SpokenSentence>()

  constructor(voices: Answering, ageMs = keptMs) {
    this.#voices = voices
    this.#keptMs = ageMs
  }

  ask(message: Message, signal: AbortSignal): Exchange {
    signal.throwIfAborted()
    if (message.type !== 'speak' || String(message['text']).length > longestText)
      return this.#voices.ask(message, signal)
    const key = JSON.stringify(message)
    const known = this.#sentences.get(key)
    const sentence = known?.isYoungerThan(this.#keptMs) ? known : new SpokenSentence(this.#voices, message)
    this.#sentences.delete(key)
    this.#sentences.set(key, sentence)
    this.#dropOld()
    return sentence.listen(signal)
  }

  #dropOld() {
    let bytes = 0
    for (const [key, sentence] of [...this.#sentences].toReversed()) {
      bytes += sentence.bytes
      if (bytes > mostBytes || !sentence.isYoungerThan(this.#keptMs)) this.#sentences.delete(key)
    }
  }
}
