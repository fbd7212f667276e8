import type { WebSocket } from '@fastify/websocket'
import type { Grant } from '@switchroom/contract/voice-server'
import type { InstalledVendors } from '@switchroom/kit/installed'
import type { Heard } from '@switchroom/kit/vendor'
import type { FastifyBaseLogger } from 'fastify'
import { CallerGone } from '../http/caller-gone.ts'
import { choiceOf, vendorOf } from '../gateway/granted-vendors.ts'
import { Refusal, upstreamError } from '../foundation/refusals.ts'
import { ClientAudio } from './client-audio.ts'
import { ClientFrames } from './client-frames.ts'
import type { LiveArguments } from './live-arguments.ts'
import type { LiveLimits } from './live-limits.ts'
import { closeWithRefusal } from './refused-sockets.ts'
import { doneFrame, finalFrame, readyFrame } from './server-frames.ts'

/** Above this a client reads too slowly: partials are dropped first, then the vendor is paused. */
const mostUnreadBytes = 64 * 1024
const done = 1000

export interface Opened {
  requestId: string
  given: LiveArguments
  vendors: InstalledVendors
  grant: Grant
  limits: LiveLimits
  logger: FastifyBaseLogger
  /** Called once, with the seconds of audio that the vendor accepted. */
  settle: (seconds: number) => void
}

/** One client and the speech-to-text that transcribes it. */
export class LiveStream {
  readonly #socket: WebSocket
  readonly #opened: Opened
  readonly #audio: ClientAudio
  readonly #frames = new ClientFrames()
  readonly #over = new AbortController()
  readonly #quiet: NodeJS.Timeout
  #patience: NodeJS.Timeout
  #isReady = false
  #isStopping = false

  constructor(socket: WebSocket, opened: Opened) {
    this.#socket = socket
    this.#opened = opened
    const { vendorMs, clientMs } = opened.limits
    this.#audio = new ClientAudio(opened.given, {
      onFull: (isFull) => this.#hold(isFull),
      onTaken: () => this.#patience.refresh(),
    })
    this.#patience = setTimeout(() => this.#lostPatience(), vendorMs)
    this.#quiet = setTimeout(() => this.#heardNothing(), clientMs)
    socket.on('message', (data: Buffer, isBinary) => this.#take(data, isBinary))
    socket.once('close', () => this.#over.abort(new CallerGone('the caller hung up')))
  }

  get grant(): string {
    return this.#opened.grant.id
  }

  get seconds(): number {
    return this.#isReady ? this.#audio.seconds : 0
  }

  /** Answers when all is said, settled and closed. */
  async run(): Promise<void> {
    const { requestId, grant, settle } = this.#opened
    let ended: unknown
    try {
      await this.#listen()
    } catch (error) {
      ended = upstreamError(grant.vendor, error)
    } finally {
      clearTimeout(this.#patience)
      clearTimeout(this.#quiet)
      this.#isStopping = true // ignore what still comes
      settle(this.seconds)
      this.#socket.resume()
    }
    if (ended === undefined) {
      this.#send(doneFrame(requestId, this.seconds, grant.is_own))
      this.#socket.close(done)
    } else if (!(ended instanceof CallerGone)) closeWithRefusal(this.#socket, this.#asRefusal(ended))
  }

  /** No more audio comes; what was heard of it is still sent. */
  stop() {
    if (this.#isStopping) return
    this.#isStopping = true
    this.#audio.end()
    this.#socket.resume()
    clearTimeout(this.#quiet)
    clearTimeout(this.#patience)
    if (this.#isReady) this.#awaitLastWords()
    else this.#patience = setTimeout(() => this.#lostPatience(), this.#opened.limits.vendorMs)
  }

  /** Ends it with a sentence. */
  end(refusal: Refusal) {
    this.#over.abort(refusal)
  }

  /** Ends it without a word; what was sent is paid. */
  cutOff() {
    this.#socket.terminate()
  }

  async #listen() {
    const { vendors, grant, given } = this.#opened
    const transcriber = await vendorOf(vendors, 'stt', grant).transcriber(choiceOf(grant))
    if (!transcriber.listen)
      throw new Refusal(400, 'BAD_MODEL', `\`model\`: ${grant.vendor}/${grant.model} does not listen live`)
    for await (const heard of transcriber.listen(this.#audio, this.#audio.sampleRate, this.#over.signal))
      await this.#tell(heard, given)
    this.#over.signal.throwIfAborted()
    if (!this.#isStopping)
      throw new Refusal(502, 'UPSTREAM_ERROR', `${grant.vendor} stopped listening before the end`)
  }

  async #tell(heard: Heard, given: LiveArguments) {
    const { requestId, grant } = this.#opened
    if (!this.#isStopping || !this.#isReady) this.#patience.refresh()
    if (heard.type === 'ready') {
      this.#isReady = true
      this.#send(readyFrame(requestId, `${grant.vendor}/${grant.model}`, given))
      if (this.#isStopping) this.#awaitLastWords()
    } else if (heard.type === 'final' && heard.text !== '') {
      this.#send(finalFrame(heard, given.diarize))
      await this.#read()
    } else if (heard.type === 'partial' && this.#socket.bufferedAmount < mostUnreadBytes)
      this.#send({ type: 'partial', text: heard.text })
  }

  #take(data: Buffer, isBinary: boolean) {
    if (this.#isStopping) return
    this.#quiet.refresh()
    // A vendor that had nothing to take was not silent.
    if (this.#isReady && !this.#audio.isWaiting) this.#patience.refresh()
    if (isBinary) return this.#audio.take(data)
    try {
      if (this.#frames.read(data.toString('utf8')) === 'stop') this.stop()
      else this.#audio.finalize()
    } catch (error) {
      this.#over.abort(error)
    }
  }

  #hold(isFull: boolean) {
    if (isFull && !this.#isStopping) this.#socket.pause()
    else this.#socket.resume()
    this.#quiet.refresh()
  }

  #heardNothing() {
    if (this.#socket.isPaused) this.#quiet.refresh()
    else this.stop()
  }

  #awaitLastWords() {
    clearTimeout(this.#patience)
    this.#patience = setTimeout(() => this.#lostPatience(), this.#opened.limits.lastWordsMs)
  }

  /** With nothing to take and no wish left open, a vendor may be silent for as long as its client is. */
  #lostPatience() {
    if (this.#isReady && !this.#isStopping && !this.#audio.isWaiting) return
    const { grant } = this.#opened
    this.end(new Refusal(504, 'UPSTREAM_TIMEOUT', `${grant.vendor} did not answer in time`))
  }

  #send(frame: object) {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(frame))
  }

  /** Waits until the client has read what it was sent, and closes the socket if it never does. */
  async #read() {
    if (this.#socket.bufferedAmount < mostUnreadBytes) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => this.#socket.terminate(), this.#opened.limits.clientMs)
    this.#socket.once('close', resolve)
    this.#socket.ping(undefined, false, () => resolve())
    await promise
    this.#socket.off('close', resolve)
    clearTimeout(timer)
  }

  #asRefusal(error: unknown): Refusal {
    if (error instanceof Refusal) return error
    this.#opened.logger.error({ err: error }, 'a stream failed')
    return new Refusal(502, 'UPSTREAM_ERROR', 'something broke on our side')
  }
}
