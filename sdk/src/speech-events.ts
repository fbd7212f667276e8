import { piecesOf } from './speech-audio.ts'
import { brokeOff, SpeechError } from './speech-error.ts'
import type { SpeechEvent } from './speech-shapes.ts'

type Frame =
  | Exclude<SpeechEvent, { type: 'audio' }>
  | { type: 'audio'; data: string }
  | { type: 'error'; code: string; error: string }

/** Speech with the times of its words, as it is made. */
export class SpeechEvents implements AsyncIterable<SpeechEvent> {
  readonly requestId: string
  readonly #response: Response

  constructor(response: Response) {
    this.#response = response
    this.requestId = response.headers.get('x-svc-request-id') ?? ''
  }

  /** Throws the voice server's error; a stream that ends without `[DONE]` is incomplete. */
  async *[Symbol.asyncIterator](): AsyncIterator<SpeechEvent> {
    for await (const data of dataOf(this.#response)) {
      if (data === '[DONE]') return
      const frame = JSON.parse(data) as Frame
      if (frame.type === 'error') throw new SpeechError(frame.code, this.#response.status, frame.error)
      yield frame.type === 'audio' ? { type: 'audio', data: Buffer.from(frame.data, 'base64') } : frame
    }
    throw brokeOff()
  }
}

async function* dataOf(response: Response): AsyncIterable<string> {
  const decoder = new TextDecoder()
  let waiting = ''
  for await (const piece of piecesOf(response)) {
    const events = (waiting + decoder.decode(piece, { stream: true })).split('\n\n')
    waiting = events.pop() ?? ''
    for (const event of events) yield event.replace(/^data: ?/, '')
  }
}
