import type { WebSocket } from '@fastify/websocket'
import { ChatEnd, ChatMessage, type ChatFrame } from '@switchroom/contract/chat'
import type { Entry } from '@switchroom/contract/log'
import type { Logger } from 'pino'
import { outsideList, type Caller } from '../../foundation/caller.ts'
import { badRequest, Refusal } from '../../foundation/refusals.ts'
import { cutToLine } from '../../foundation/text.ts'
import type { Access } from '../../http/access.ts'
import { holdsNul, nulInside } from '../../http/json-body.ts'
import type { OpenConnection, OpenConnections } from '../../http/open-connections.ts'
import { shapedAs } from '../../http/shape-checks.ts'
import { closeWith } from '../../http/sockets.ts'
import { readFrame, typeOf } from '../../agents/apps/frames.ts'
import type { ConnectionCaps } from '../connection-caps/connection-caps.ts'
import type { Log } from '../log/log.ts'
import { LogCursor } from '../log/log-cursor.ts'
import { aboutCall, entryOf, type KeptEntry } from '../log/entries.ts'
import type { LiveLogs } from '../log/live-logs.ts'
import type { Chats, ChatSeat } from './chats.ts'

const pageSize = 200
/** With more frames waiting than this, reading from the client pauses. */
const mostWaiting = 16
/** A client that leaves more than this unread is disconnected; it may reconnect for the rest. */
const mostUnreadBytes = 1024 * 1024
/** Close codes of a client that leaves; any other code is a broken connection, after which it may reconnect. */
const cleanCodes = new Set([1000, 1001, 1005])

export interface ChatSocketParts {
  chats: Chats
  log: Log
  liveLogs: LiveLogs
  connections: OpenConnections
  caps: Pick<ConnectionCaps, 'openChat'>
  logger: Logger
}

/** The client that connects, and to which chat. */
export interface ChatClient {
  seat: ChatSeat
  caller: Caller
  access: Access
}

/** One client of a chat: receives the log and its live entries, and has its frames handled in sequence. */
export class ChatSocket implements OpenConnection {
  readonly kind = 'chat_socket'
  readonly caller: Caller
  readonly access: Access
  readonly #socket: WebSocket
  readonly #seat: ChatSeat
  readonly #parts: ChatSocketParts
  readonly #cursor: LogCursor
  #work: Promise<void> = Promise.resolve()
  #waiting = 0
  #isClosing = false

  constructor(socket: WebSocket, { seat, caller, access }: ChatClient, parts: ChatSocketParts) {
    this.#socket = socket
    this.#seat = seat
    this.caller = caller
    this.access = access
    this.#parts = parts
    const { id } = seat.record
    this.#cursor = new LogCursor({
      log: id,
      liveLogs: parts.liveLogs,
      read: (after, limit) => parts.log.read(id, after, limit),
      onPage: (entries) => this.#showPage(entries),
      onLive: (entries) => this.#showAll(entries.filter(({ isEphemeral }) => !isEphemeral)),
      pageSize,
    })
  }

  start() {
    this.#then(() => this.#sendLog())
    this.#socket.on('message', (data: Buffer, isBinary) => this.#then(() => this.#take(data, isBinary)))
    this.#socket.once('close', (code) => this.#closed(code))
    this.#parts.connections.add(this)
  }

  stays(caller: Caller) {
    const { agent } = this.#seat.record
    if (caller.agents.length > 0 && !caller.agents.includes(agent)) this.ends(outsideList(caller))
  }

  ends(refusal: Refusal) {
    this.#close(1008, refusal.message)
  }

  async leaves() {
    this.#close(1001, 'this gateway is stopping: connect again')
    if (this.#socket.readyState !== this.#socket.CLOSED)
      await new Promise((resolve) => this.#socket.once('close', resolve))
    await this.#work
  }

  #close(code: number, sentence: string) {
    this.#isClosing = true
    closeWith(this.#socket, code, sentence)
  }

  #closed(code: number) {
    const isLeft = !this.#isClosing && cleanCodes.has(code)
    this.#cursor.stop()
    this.#parts.connections.delete(this)
    if (isLeft) this.#work = this.#work.then(() => this.#hangUp())
  }

  get #isOpen() {
    return this.#socket.readyState === this.#socket.OPEN
  }

  /** In sequence: frames that came before the client left are handled, none once this side closes. */
  #then(work: () => Promise<void>) {
    this.#waiting += 1
    if (this.#waiting > mostWaiting) this.#socket.pause()
    this.#work = this.#work
      .then(() => (this.#isClosing ? undefined : work()))
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#waiting -= 1
        if (this.#waiting <= mostWaiting && this.#socket.isPaused) this.#socket.resume()
      })
  }

  #fail(error: unknown) {
    this.#parts.logger.error({ err: error, ...aboutCall(this.#seat.record) }, 'a chat failed')
    this.#cursor.stop()
    this.#close(1011, 'something broke on our side: connect again')
  }

  async #sendLog() {
    const { id } = this.#seat.record
    this.#send({ type: 'started', call: id, seq: this.#seat.after })
    await this.#cursor.start(this.#seat.after)
  }

  async #showPage(entries: readonly KeptEntry[]) {
    this.#showAll(entries)
    await this.#drained()
  }

  #showAll(entries: readonly KeptEntry[]) {
    for (const entry of entries) {
      const frame = frameOf(entryOf(entry))
      if (!frame) continue
      this.#send(frame)
      if (frame.type === 'ended') this.#close(1000, 'the call has ended')
    }
  }

  #send(frame: ChatFrame) {
    this.#socket.send(JSON.stringify(frame))
    if (this.#cursor.isCurrent && this.#socket.bufferedAmount > mostUnreadBytes) this.#socket.terminate()
  }

  /** Waits until the client has read the page. */
  #drained(): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#isOpen) return resolve()
      this.#socket.once('close', resolve)
      this.#socket.ping(undefined, false, () => {
        this.#socket.off('close', resolve)
        resolve()
      })
    })
  }

  async #take(data: Buffer, isBinary: boolean) {
    try {
      const frame = readFrame(data, isBinary)
      if (data.includes('\\u0000') && holdsNul(frame)) throw nulInside()
      const type = typeOf(frame)
      if (type === 'message') await this.#say(shapedAs(ChatMessage, frame))
      else if (type === 'end') await this.#end(shapedAs(ChatEnd, frame))
      else throw badRequest(`no frame is called ${cutToLine(type, 'nothing')}`)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      this.#send({ type: 'error', detail: error.message })
    }
  }

  /** `heard` comes with the log; a repeated message is acknowledged at once. */
  async #say(message: ChatMessage) {
    const known = await this.#parts.chats.say(this.#seat, message)
    const frame = known && frameOf(known)
    if (frame) this.#send(frame)
  }

  async #end(_frame: object) {
    await this.#parts.chats.hangUp(this.#seat)
  }

  async #hangUp() {
    try {
      await this.#parts.chats.hangUp(this.#seat)
    } catch (error) {
      if (error instanceof Refusal) return // it has ended already
      this.#parts.logger.warn(
        { err: error, ...aboutCall(this.#seat.record) },
        'a chat whose client left could not be ended',
      )
    }
  }
}

/** The frame that a client receives for an entry; undefined for most types. */
function frameOf({ type, seq, data }: Entry): ChatFrame | undefined {
  const { text = '', messageId = '', reason = '' } = data as Partial<Record<string, string>>
  if (type === 'user.message') return { type: 'heard', id: messageId, messageId, text, seq }
  if (type === 'agent.message') return { type: 'message', text, messageId, seq }
  return type === 'call.ended' ? { type: 'ended', reason, seq } : undefined
}
