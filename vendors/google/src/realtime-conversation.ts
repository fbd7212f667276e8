import { busy, refused, silent, type VendorFailure } from '@switchroom/kit/failures'
import { brokenOff } from '@switchroom/kit/live-transcription'
import type { VendorSocket } from '@switchroom/kit/sockets'
import { abandon, untilAborted } from '@switchroom/kit/until-aborted'
import type { RealtimeAsked, RealtimeTold } from '@switchroom/kit/vendor'
import { messageIn, type ClientMessage, type ServerMessage } from './realtime-messages.ts'
import { LiveWire } from './realtime-wire.ts'

/** How often a connection may break before it said anything. */
const mostBreaks = 3
/** Of the time until the vendor closes a connection, how much is waited for a moment in which nothing is said. */
const shareOfTimeLeft = 0.8
/** The codes with which it closes what it does not take. */
const refusals = new Set([1003, 1007, 1008])

export interface LiveParts {
  connect: (signal: AbortSignal) => Promise<VendorSocket>
  /** Everything but what the conversation itself knows. */
  setup: object
}

/** A conversation that outlives its connections: the vendor closes each of them after about ten minutes. */
export class LiveConversation {
  readonly #parts: LiveParts
  readonly #signal: AbortSignal
  readonly #over = new AbortController()
  readonly #until: AbortSignal
  readonly #wire = new LiveWire(() => this.#wake.resolve())
  #wake = Promise.withResolvers<void>()
  /** Open while what is asked may be sent. */
  #gate = Promise.withResolvers<void>()
  #socket: VendorSocket | null = null
  #frames: AsyncIterator<string | Buffer> | undefined
  #isReady = false
  /** Whether this connection was set up. */
  #isSetUp = false
  #breaks = 0
  #isAsked = true
  #fault: { error: unknown } | undefined
  #leaving: { timer: NodeJS.Timeout; isDue: boolean } | null = null

  constructor(parts: LiveParts, signal: AbortSignal) {
    this.#parts = parts
    this.#signal = signal
    this.#until = AbortSignal.any([signal, this.#over.signal])
  }

  async *told(asked: AsyncIterable<RealtimeAsked>): AsyncIterable<RealtimeTold> {
    try {
      await this.#connect()
      let next = this.#nextFrame()
      for (;;) {
        yield* this.#wire.taken()
        const frame = await Promise.race([next, this.#wake.promise])
        if (frame === undefined) {
          this.#wake = Promise.withResolvers<void>()
          if (this.#isSetUp) await this.#send(this.#wire.due())
        } else if (frame.done) {
          if (!this.#continues()) return
          await this.#connect()
          next = this.#nextFrame()
        } else {
          next = this.#nextFrame()
          if (await this.#hear(messageIn(frame.value))) {
            yield { type: 'ready' }
            void this.#ask(asked)
          }
        }
        if (this.#mayLeave()) {
          await this.#connect()
          next = this.#nextFrame()
        }
      }
    } catch (error) {
      this.#wire.breakOff()
      if (!this.#signal.aborted) yield* this.#wire.taken() // what was said last is not lost with the connection
      throw error
    } finally {
      this.#over.abort()
      this.#wire.close()
      clearTimeout(this.#leaving?.timer)
      this.#socket?.end()
    }
  }

  #nextFrame(): Promise<IteratorResult<string | Buffer>> {
    return this.#frames?.next() ?? Promise.reject(silent('it is not connected'))
  }

  async #connect() {
    clearTimeout(this.#leaving?.timer)
    this.#leaving = null
    this.#isSetUp = false
    if (this.#socket) this.#gate = Promise.withResolvers<void>()
    this.#socket?.end()
    this.#socket = await this.#parts.connect(this.#until)
    this.#frames = this.#socket.frames()[Symbol.asyncIterator]()
    await this.#socket.sendJson({ setup: { ...this.#parts.setup, ...this.#wire.setup } })
  }

  /** Whether the conversation begins with it. */
  async #hear(message: ServerMessage): Promise<boolean> {
    if (message.serverContent) this.#breaks = 0
    if (message.goAway) this.#leave(secondsIn(message.goAway.timeLeft))
    if (message.setupComplete) return this.#setUp()
    await this.#send(this.#wire.hear(message))
    return false
  }

  async #setUp(): Promise<boolean> {
    this.#isSetUp = true
    const isFirst = !this.#isReady
    this.#isReady = true
    if (!isFirst) await this.#send(this.#wire.resume() ?? [])
    this.#gate.resolve()
    if (!this.#isAsked || this.#fault) this.#socket?.end() // it ended while nothing was connected
    return isFirst
  }

  /** To the connection that it was meant for: another one is sent it again. */
  async #send(messages: readonly ClientMessage[]) {
    const socket = this.#socket
    for (const message of messages) await socket?.sendJson(message)
  }

  async #ask(asked: AsyncIterable<RealtimeAsked>) {
    const iterator = asked[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await untilAborted(iterator.next(), this.#until)
        if (next.done) break
        await untilAborted(this.#gate.promise, this.#until)
        await this.#send(this.#wire.ask(next.value))
      }
      this.#isAsked = false
    } catch (error) {
      if (!this.#until.aborted) this.#fault = { error }
    } finally {
      abandon(iterator)
      this.#socket?.end()
    }
  }

  #leave(leftS: number) {
    const isDue = () => {
      if (this.#leaving) this.#leaving.isDue = true
      this.#wake.resolve()
    }
    clearTimeout(this.#leaving?.timer)
    this.#leaving = { timer: setTimeout(isDue, leftS * 1_000 * shareOfTimeLeft), isDue: false }
  }

  #mayLeave(): boolean {
    if (!this.#leaving || !this.#isAsked || this.#fault) return false
    return this.#wire.isSettled || (this.#leaving.isDue && this.#wire.resume() !== null)
  }

  /** Whether another connection takes over. */
  #continues(): boolean {
    this.#signal.throwIfAborted()
    if (this.#fault) throw this.#fault.error
    if (!this.#isAsked) return false
    const closing = this.#socket?.closing ?? { code: 1006, reason: '' }
    const canResume = this.#isSetUp && !refusals.has(closing.code) && (this.#breaks += 1) <= mostBreaks
    if (!canResume || this.#wire.resume() === null) throw failureOf(closing)
    return true
  }
}

/** The reasons are the vendor's words. */
function failureOf(closing: { code: number; reason: string }): VendorFailure {
  if (/exhausted|overloaded|quota/iu.test(closing.reason)) return busy(closing.reason)
  if (refusals.has(closing.code)) return refused(closing.reason || `close code ${closing.code}`)
  return silent(brokenOff(closing))
}

/** `9.5s`: as the vendor writes durations. */
const secondsIn = (duration = '0s') => Number.parseFloat(duration) || 0
