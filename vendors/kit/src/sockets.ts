import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { failureOfAnswer } from './answer-failures.ts'
import { silent, type VendorFailure } from './failures.ts'
import { spokenWords } from './requests.ts'

const largestFrame = 1024 * 1024
const mostRefusalBytes = 16 * 1024
const mostUnsentBytes = 512 * 1024
/** What may wait to be taken before the vendor is held back. */
const mostWaiting = 64
const mostWaitingBytes = 2 * 1024 * 1024
const unsentLookMs = 20
/** Vendors keep and count the session of a socket that vanishes: this is how long the close handshake may take. */
const farewellMs = 250
const refusalWithinMs = 2_000

export type Frame = string | Buffer

/** A socket to a vendor that holds back whichever side is faster, and never throws outside a promise. */
export class VendorSocket {
  readonly #socket: WebSocket
  readonly #waiting: Frame[] = []
  readonly #closed = Promise.withResolvers<void>()
  #wake = Promise.withResolvers<void>()
  #waitingBytes = 0
  #isClosed = false
  #isEnded = false
  /** What the vendor said when it closed. */
  closing: { code: number; reason: string } | undefined

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data: Buffer, isBinary) => {
      if (this.#isEnded) return
      this.#waiting.push(isBinary ? data : data.toString('utf8'))
      this.#waitingBytes += data.length
      if (this.#isFull(1)) socket.pause()
      this.#wake.resolve()
    })
    socket.on('error', () => {}) // a close always follows, and says what there is to say
    socket.on('close', (code, reason) => {
      this.closing ??= { code, reason: reason.toString('utf8') }
      this.#isClosed = true
      this.#wake.resolve()
      this.#closed.resolve()
    })
  }

  /** Resolves when the vendor keeps up. */
  async send(frame: string | Uint8Array): Promise<void> {
    if (this.#isClosed || this.#socket.readyState !== WebSocket.OPEN) return
    this.#socket.send(frame, () => {}) // a failed send is a closed socket, which frames() reports
    while (this.#socket.bufferedAmount > mostUnsentBytes && !this.#isClosed) await sleep(unsentLookMs)
  }

  sendJson(message: object): Promise<void> {
    return this.send(JSON.stringify(message))
  }

  /** Every frame until the vendor closes; `closing` then says how it did. */
  async *frames(): AsyncIterable<Frame> {
    for (;;) {
      const frame = this.#waiting.shift()
      if (frame !== undefined) {
        this.#waitingBytes -= Buffer.byteLength(frame)
        if (this.#socket.isPaused && !this.#isFull(0.5)) this.#socket.resume()
        yield frame
      } else if (this.#isClosed || this.#isEnded) return
      else {
        await this.#wake.promise
        this.#wake = Promise.withResolvers<void>()
      }
    }
  }

  /** Nothing more is sent or taken; the vendor hears of it, if it listens. */
  end() {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#waiting.length = 0
    this.#wake.resolve()
    if (this.#socket.readyState !== WebSocket.OPEN) return this.#socket.terminate()
    this.#socket.resume()
    this.#socket.close(1000)
    const late = setTimeout(() => this.#socket.terminate(), farewellMs)
    void this.#closed.promise.then(() => clearTimeout(late))
  }

  #isFull(share: number): boolean {
    return this.#waiting.length >= mostWaiting * share || this.#waitingBytes >= mostWaitingBytes * share
  }
}

/** Opens a socket to a vendor; a handshake that is refused fails in the vendor's own words. */
export async function openSocket(
  url: string | URL,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<VendorSocket> {
  signal.throwIfAborted()
  const socket = new WebSocket(url, { headers, maxPayload: largestFrame, perMessageDeflate: false })
  const open = new VendorSocket(socket) // listens from the start: a first frame may come with the handshake
  const end = () => open.end()
  signal.addEventListener('abort', end, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', end))
  const refusal = new Promise<never>((_, reject) => {
    socket.once('unexpected-response', (_request, response) => {
      void refusalOf(response).then(reject).finally(end)
    })
    socket.once('error', (error) => reject(silent(error.message)))
  })
  refusal.catch(() => {}) // not awaited after the handshake
  await Promise.race([once(socket, 'open', { signal }), refusal])
  return open
}

/** As much of it as comes soon: a vendor that says no and then hangs has still said no. */
async function refusalOf(response: IncomingMessage): Promise<VendorFailure> {
  let text = ''
  response.setEncoding('utf8')
  response.on('data', (piece: string) => (text = (text + piece).slice(0, mostRefusalBytes)))
  response.on('error', () => {}) // what came before it broke is what was said
  const late = setTimeout(() => response.destroy(), refusalWithinMs)
  await new Promise((resolve) => response.once('close', resolve))
  clearTimeout(late)
  const status = response.statusCode ?? 0
  const words = spokenWords(text) || `HTTP ${status}`
  const header = (name: string) => response.headers[name]?.toString()
  return failureOfAnswer({ status, header, body: text, words })
}
