import { randomUUID } from 'node:crypto'
import type { ChatFrame } from '@switchroom/contract/chat'
import { Address, type AddressOptions } from './address.ts'
import { Connection } from './connection.ts'
import { deferred, type Deferred } from './deferred.ts'
import { encoded } from './encoding.ts'
import { SwitchroomError } from './errors.ts'
import type { Named } from './event-names.ts'
import { Handlers, type Handler } from './handlers.ts'

export interface ChatOptions extends AddressOptions {
  /** The agent's slug. */
  agent: string
  /** The contact's number, such as +34911234567. */
  contact?: string
  /** Handed to the agent as `call.metadata`, at most 4096 bytes of JSON; `{{name}}` in its greeting and prompt reads it. */
  metadata?: Record<string, unknown>
}

/** A turn of the conversation; `seq` is its place in it. */
export interface Kept {
  messageId: string
  seq: number
}

export interface ChatEvents {
  message: [message: Kept & { text: string }]
  ended: [reason: string]
  connected: []
  /** The chat reconnects by itself and sends messages from the meantime. */
  disconnected: [reason: string]
  error: [error: SwitchroomError]
}

const chatEvents: Named<ChatEvents> = {
  message: true,
  ended: true,
  connected: true,
  disconnected: true,
  error: true,
}

interface Unheard extends Deferred<Kept> {
  frame: string
}

/** A written conversation with an agent, from the contact's side. */
export class Chat {
  /** The call's id, once the gateway has opened it; rejects with the gateway's reason if it refuses. */
  readonly started: Promise<string>
  readonly #options: ChatOptions
  readonly #connection: Connection
  readonly #handlers = new Handlers<ChatEvents>('a chat', chatEvents)
  readonly #started = deferred<string>()
  /** By id, in the order in which they were said. */
  readonly #unheard = new Map<string, Unheard>()
  #call: string | undefined
  #seq = 0
  #isOver = false

  constructor(options: ChatOptions) {
    const address = new Address(options)
    this.#options = options
    this.started = this.#started.promise
    this.started.catch(() => {}) // a rejection that is not awaited is not an error
    this.#connection = new Connection({
      url: () => address.socket(`/v1/chat?${this.#query().toString()}`),
      headers: address.headers,
      onOpen: () => this.#opened(),
      onFrame: (frame) => this.#take(frame as ChatFrame),
      onLost: (reason) => void this.#handlers.run('disconnected', [reason]),
      onRefused: (error, status) => this.#refused(error, status),
      onClosed: () => !this.#isOver,
    })
  }

  on<Name extends keyof ChatEvents>(event: Name, handler: Handler<ChatEvents, Name>): this {
    this.#handlers.add(event, handler)
    return this
  }

  /** Resolves when the gateway has stored the message; otherwise it is sent again after a reconnect. */
  send(text: string): Promise<Kept> {
    if (this.#isOver) return Promise.reject(over())
    const id = randomUUID()
    const unheard = { ...deferred<Kept>(), frame: encoded({ type: 'message', text, id }) }
    this.#unheard.set(id, unheard)
    if (this.#call !== undefined) this.#connection.send(unheard.frame)
    return unheard.promise
  }

  /** Ends the conversation. */
  async end(): Promise<void> {
    this.#connection.send(encoded({ type: 'end' }))
    await this.#connection.close()
    this.#finish()
  }

  #query(): URLSearchParams {
    const { agent, contact, metadata } = this.#options
    const isNew = this.#call === undefined
    return new URLSearchParams({
      agent,
      ...(contact !== undefined && { contact }),
      ...(metadata !== undefined && isNew && { metadata: JSON.stringify(metadata) }),
      ...(this.#call !== undefined && { call: this.#call, after: String(this.#seq) }),
    })
  }

  #opened(): void {
    void this.#handlers.run('connected', [])
    if (this.#call !== undefined) this.#sendUnheard()
  }

  #sendUnheard(): void {
    for (const { frame } of this.#unheard.values()) this.#connection.send(frame)
  }

  #take(frame: ChatFrame): void {
    if (frame.type === 'error') return this.#refuseOldest(frame.detail)
    if (frame.type === 'started') this.#begin(frame.call)
    if (frame.type === 'heard') this.#heard(frame.id, frame)
    const isNew = frame.seq > this.#seq
    this.#seq = Math.max(this.#seq, frame.seq)
    if (frame.type === 'message' && isNew) {
      const { text, messageId, seq } = frame
      void this.#handlers.run('message', [{ text, messageId, seq }])
    }
    if (frame.type === 'ended' && !this.#isOver) {
      this.#finish()
      void this.#handlers.run('ended', [frame.reason])
      void this.#connection.close()
    }
  }

  #begin(call: string): void {
    if (this.#call !== undefined) return
    this.#call = call
    this.#started.resolve(call)
    this.#sendUnheard()
  }

  #heard(id: string, { messageId, seq }: Kept): void {
    this.#unheard.get(id)?.resolve({ messageId, seq })
    this.#unheard.delete(id)
  }

  /** Frames are handled in order, so a refusal is about the oldest unacknowledged one. */
  #refuseOldest(detail: string): void {
    const error = new SwitchroomError('BAD_FRAME', detail)
    const [oldest] = this.#unheard
    if (!oldest) return this.#handlers.tell(error)
    const [id, unheard] = oldest
    this.#unheard.delete(id)
    unheard.reject(error)
  }

  /** A gateway that starts or is busy is retried; any other refusal is final. */
  #refused(error: SwitchroomError, status: number): boolean {
    if (status >= 500) return true
    this.#started.reject(error)
    if (this.#call !== undefined) this.#handlers.tell(error)
    this.#finish()
    return false
  }

  #finish(): void {
    this.#isOver = true
    this.#started.reject(over()) // no effect if it has started
    for (const unheard of this.#unheard.values()) unheard.reject(over())
    this.#unheard.clear()
  }
}

const over = () => new SwitchroomError('ENDED', 'the conversation has ended: open another with openChat')

export const openChat = (options: ChatOptions) => new Chat(options)
