import { WireFake, type HttpAnswer, type Seen } from '@switchroom/kit/testing/wire-fake'

/** What OpenAI's speech-to-text answers here, whatever it hears. */
export const theirText = 'Hello there. Good bye.'
const verbose = {
  text: theirText,
  language: 'english',
  duration: 2.5,
  words: [
    { word: 'Hello', start: 0.1, end: 0.4 },
    { word: 'there.', start: 0.5, end: 0.9 },
    { word: 'Good', start: 1.2, end: 1.5 },
    { word: 'bye.', start: 1.6, end: 2 },
  ],
  segments: [
    { start: 0, end: 1, text: ' Hello there.' },
    { start: 1.2, end: 2.1, text: ' Good bye.' },
  ],
}

/** OpenAI's endpoints for recordings. */
export class OpenAiWire {
  /** A stream says its last words when this resolves. */
  lastWords: Promise<void> = Promise.resolve()
  /** Whether a stream ends after its first words. */
  isCut = false
  readonly fake = new WireFake({
    refusal: (message) => ({ error: { message } }),
    http: (request, answer) => this.#answer(request, answer),
  })

  async #answer(request: Seen, answer: HttpAnswer) {
    if (!request.body.includes('name="stream"')) return answer.json(verbose)
    answer.start({ 'content-type': 'text/event-stream' })
    const tell = (event: object) => answer.piece(`data: ${JSON.stringify(event)}\n\n`)
    await tell({ type: 'transcript.text.delta', delta: 'Hello there.' })
    if (this.isCut) return answer.end()
    await this.lastWords
    await tell({ type: 'transcript.text.delta', delta: ' Good bye.' })
    await tell({ type: 'transcript.text.done', text: theirText, usage: { seconds: 2.5 } })
    return answer.end()
  }
}
