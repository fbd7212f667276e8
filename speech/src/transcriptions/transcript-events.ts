import type { FastifyBaseLogger } from 'fastify'
import { CallerGone } from '../http/caller-gone.ts'
import { openAiRefusal } from '../foundation/openai-requests.ts'
import { Refusal } from '../foundation/refusals.ts'
import type { Transcribed } from './answers.ts'
import { usageOf } from './openai-answers.ts'

/** A transcription that is told while it is made: begin it with `tell`, then read its events. */
export class TranscriptEvents {
  #told: string[] = []
  #wake = Promise.withResolvers<void>()

  readonly tell = (text: string) => {
    if (text === '') return
    this.#told.push(text)
    this.#wake.resolve()
  }

  /** Resolves with the first text; what fails before it is a refusal. */
  async begin(whole: Promise<Transcribed>, logger: FastifyBaseLogger): Promise<AsyncIterable<string>> {
    const settled = whole.then(
      () => this.#wake.resolve(),
      () => this.#wake.resolve(),
    )
    await this.#wake.promise
    if (this.#told.length === 0) await whole
    return this.#events(whole, settled, logger)
  }

  /** Vendors that tell nothing before the end are answered with one piece for each segment. */
  async *#events(
    whole: Promise<Transcribed>,
    settled: Promise<void>,
    logger: FastifyBaseLogger,
  ): AsyncIterable<string> {
    let isSettled = false
    void settled.then(() => (isSettled = true))
    let said = ''
    for (;;) {
      const told = this.#told.splice(0)
      for (const delta of told) {
        said += delta
        yield eventOf({ type: 'transcript.text.delta', delta })
      }
      if (told.length > 0) continue // more may have come while it was read
      if (isSettled) break
      this.#wake = Promise.withResolvers()
      await Promise.race([this.#wake.promise, settled])
    }
    try {
      const heard = await whole
      for (const delta of restOf(heard, said)) yield eventOf({ type: 'transcript.text.delta', delta })
      yield eventOf({ type: 'transcript.text.done', text: heard.transcript.text, usage: usageOf(heard) })
    } catch (error) {
      if (error instanceof CallerGone) return
      logger.warn({ err: error }, 'a transcription broke off')
      const refusal =
        error instanceof Refusal ? error : new Refusal(500, 'INTERNAL_ERROR', 'something broke on our side')
      yield eventOf({ type: 'error', ...openAiRefusal(refusal) })
    }
  }
}

/** What of the text was not told yet: by segments, if they are the whole text. */
function* restOf({ transcript: { text, segments } }: Transcribed, said: string): Iterable<string> {
  const rest = said === '' ? text : text.startsWith(said) ? text.slice(said.length) : ''
  const parts = segments.map((segment, at) => (at === 0 ? segment.text : ` ${segment.text}`))
  if (said === '' && parts.join('') === text) yield* parts
  else if (rest !== '') yield rest
}

const eventOf = (event: object) => `data: ${JSON.stringify(event)}\n\n`
