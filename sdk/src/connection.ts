import type { IncomingMessage } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { WebSocket } from 'ws'
import { BackOff } from './back-off.ts'
import { deferred } from './deferred.ts'
import { messageOf, type SwitchroomError } from './errors.ts'
import { refusalIn, type GatewayRefusal } from './gateway-refusal.ts'

const openWithinMs = 10_000
/** The gateway pings every 20 s: after this long without a ping the connection is dead. */
const silentMs = 60_000
/** After a connection this long the backoff starts again. */
const goodAfterMs = 5_000

export interface ConnectionParts {
  /** Called before each attempt: the position to resume from may have changed. */
  url: () => string
  headers: Record<string, string>
  onOpen: () => void
  onFrame: (frame: Record<string, unknown>) => void
  /** The connection was lost or not made; the next attempt is automatic. */
  onLost: (reason: string) => void
  /** The gateway refused; returns whether to retry. */
  onRefused: (error: SwitchroomError, status: number) => boolean
  /** The gateway closed the socket; returns whether to retry. */
  onClosed?: (code: number) => boolean
}

/** A WebSocket that reconnects with backoff until it is closed. */
export class Connection {
  readonly #parts: ConnectionParts
  readonly #backOff = new BackOff()
  readonly #closed = deferred<void>()
  #socket: WebSocket | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosing = false

  constructor(parts: ConnectionParts) {
    this.#parts = parts
    this.#open()
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN
  }

  /** Whether the text was sent. */
  send(text: string): boolean {
    if (!this.isOpen) return false
    this.#socket?.send(text)
    return true
  }

  /** Closes for good. Resolves when the other side has closed too or is gone. */
  close(): Promise<void> {
    this.#isClosing = true
    clearTimeout(this.#timer)
    if (!this.#socket || this.#socket.readyState === WebSocket.CLOSED) this.#closed.resolve()
    else if (this.isOpen) this.#socket.close(1000)
    else this.#socket.terminate()
    return this.#closed.promise
  }

  #open(): void {
    const { url, headers, onOpen, onFrame } = this.#parts
    const options = { headers, handshakeTimeout: openWithinMs, closeTimeout: 2_000 }
    const socket = new WebSocket(url(), options)
    this.#socket = socket
    let openedAt = Number.POSITIVE_INFINITY
    let why: string | undefined
    let isWorthMore = true
    const silence = setTimeout(() => socket.terminate(), silentMs)

    socket.on('open', () => {
      openedAt = performance.now()
      onOpen()
    })
    socket.on('ping', () => silence.refresh())
    socket.on('message', (data: Buffer) => {
      silence.refresh()
      try {
        onFrame(JSON.parse(data.toString()) as Record<string, unknown>)
      } catch (error) {
        // A frame that this version cannot read is no reason to end the process.
        process.emitWarning(`could not read a frame of the gateway: ${messageOf(error)}`, 'SwitchroomWarning')
      }
    })
    socket.on('unexpected-response', (_request, response) => {
      void refusalOf(response).then((error) => {
        why = error.detail
        isWorthMore = this.#parts.onRefused(error, response.statusCode ?? 0)
        return socket.terminate()
      })
    })
    socket.on('error', (error) => (why ??= error.message || String((error as { code?: string }).code)))
    socket.once('close', (code: number, reason: Buffer) => {
      clearTimeout(silence)
      if (performance.now() - openedAt > goodAfterMs) this.#backOff.reset()
      const wasOpen = openedAt !== Number.POSITIVE_INFINITY
      if (wasOpen) isWorthMore &&= this.#parts.onClosed?.(code) ?? true
      this.#lost(why ?? (reason.toString() || `closed with ${code}`), isWorthMore)
    })
  }

  #lost(reason: string, isWorthMore: boolean): void {
    if (!isWorthMore) this.#isClosing = true
    if (this.#isClosing) return this.#closed.resolve()
    this.#parts.onLost(reason)
    this.#timer = setTimeout(() => this.#open(), this.#backOff.nextMs())
  }
}

async function refusalOf(response: IncomingMessage): Promise<GatewayRefusal> {
  return refusalIn(response.statusCode ?? 0, await textOf(response).catch(() => ''))
}
