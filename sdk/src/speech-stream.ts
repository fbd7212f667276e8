import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { WebSocket, type RawData } from 'ws'
import { deferred } from './deferred.ts'
import { brokeOff, closedEarly, refusalIn, SpeechError, unreachable } from './speech-error.ts'
import {
  saidOf,
  type StreamDone,
  type StreamFrame,
  type StreamOptions,
  type StreamReady,
} from './speech-shapes.ts'

const openWithinMs = 10_000
/** How much audio may wait in this process before `send` makes its caller wait. */
const mostWaitingBytes = 256 * 1024

type Came = StreamFrame | StreamReady | { type: 'error'; code: string; error: string }

/** The key is in a header: an address gets into logs. */
export async function openStream(
  url: string,
  authorization: string,
  options: StreamOptions,
): Promise<TranscriptionStream> {
  const query = new URLSearchParams(saidOf(options)).toString()
  const address = `${url.replace(/^http/, 'ws')}/v1/audio/transcriptions/stream?${query}`
  const socket = new WebSocket(address, { headers: { authorization }, handshakeTimeout: openWithinMs })
  const stream = new TranscriptionStream(socket)
  socket.once('unexpected-response', (_request, answer) => {
    void refusedBy(answer)
      .then((refusal) => stream.fail(refusal))
      .finally(() => socket.terminate())
  })
  socket.on('error', (error) => stream.fail(unreachable(url, error)))
  await stream.opened
  return stream
}

/** Live audio to text: `send` audio, read what is heard with `for await`. */
export class TranscriptionStream implements AsyncIterable<StreamFrame> {
  /** For `openStream`. */
  readonly opened: Promise<StreamReady>
  readonly #socket: WebSocket
  readonly #opened = deferred<StreamReady>()
  readonly #frames: StreamFrame[] = []
  #ready: StreamReady | undefined
  #done: StreamDone | undefined
  #failure: SpeechError | undefined
  #isClosed = false
  #isLeaving = false
  #wake = deferred<void>()

  constructor(socket: WebSocket) {
    this.#socket = socket
    this.opened = this.#opened.promise
    this.opened.catch(() => {}) // awaited by openStream
    socket.on('message', (data: RawData) => this.#read(data))
    socket.once('close', (code) => this.#closed(code))
  }

  get ready(): StreamReady {
    if (!this.#ready) throw new Error('the stream is not open yet: await stream() first')
    return this.#ready
  }

  /** Resolves when more may be sent: audio can be read faster than it is transcribed. */
  async send(audio: Uint8Array): Promise<void> {
    if (this.#failure) throw this.#failure
    const { promise: sent, resolve } = deferred<void>()
    this.#socket.send(audio, () => resolve())
    if (this.#socket.bufferedAmount > mostWaitingBytes) await sent
  }

  /** Finalizes the transcript so far. */
  finalize(): void {
    this.#socket.send('{"type":"finalize"}')
  }

  /** No more audio: settles when all of it was heard, with how much there was. What was heard is still there to be read. */
  async stop(): Promise<StreamDone> {
    this.#socket.send('{"type":"stop"}')
    while (!this.#isClosed) await this.#wake.promise
    if (this.#done) return this.#done
    throw this.#failure ?? closedEarly()
  }

  /** Closes at once and drops what was not transcribed yet. */
  async close(): Promise<void> {
    this.#isLeaving = true
    if (this.#socket.readyState === WebSocket.CLOSED) return
    this.#socket.close(1000)
    await once(this.#socket, 'close')
  }

  async *[Symbol.asyncIterator](): AsyncIterator<StreamFrame> {
    for (;;) {
      const frame = this.#frames.shift()
      if (frame) yield frame
      else if (this.#failure) throw this.#failure
      else if (this.#isClosed) return
      else await this.#wake.promise
    }
  }

  /** For `openStream`; the first reason stays. */
  fail(error: SpeechError): void {
    this.#failure ??= error
    this.#opened.reject(this.#failure)
    this.#stir()
  }

  /** An unreadable frame ends the stream, not the process. */
  #read(data: RawData): void {
    try {
      this.#take(JSON.parse(textOf(data)) as Came)
    } catch (error) {
      this.fail(brokeOff(error))
      this.#socket.terminate()
    }
  }

  #take(frame: Came): void {
    if (frame.type === 'error') return this.fail(new SpeechError(frame.code, 0, frame.error))
    if (frame.type === 'ready') {
      this.#ready = frame
      return this.#opened.resolve(frame)
    }
    if (frame.type === 'done') this.#done = frame
    this.#frames.push(frame)
    this.#stir()
  }

  #closed(code: number): void {
    this.#isClosed = true
    if (!this.#done && !this.#isLeaving) this.fail(code === 1000 ? closedEarly() : brokeOff())
    this.#stir()
  }

  #stir(): void {
    this.#wake.resolve()
    this.#wake = deferred()
  }
}

async function refusedBy(answer: IncomingMessage): Promise<SpeechError> {
  let text = ''
  try {
    for await (const piece of answer) text += String(piece)
  } catch {
    // what came of it says enough
  }
  return refusalIn(answer.statusCode ?? 0, text)
}

const textOf = (data: RawData) =>
  (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString('utf8')
