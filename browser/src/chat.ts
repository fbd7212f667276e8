import type { ChatFrame } from '@switchroom/contract/chat'
import { gatewayUrl } from './gateway.ts'
import { Listeners } from './listeners.ts'
import { openFromPage, type PageKey } from './page-key.ts'
import type { Line } from './transcript.ts'

const againMs = 1000

/** `closed`: it never began. */
export type ChatState = 'opening' | 'open' | 'ended' | 'closed'

export interface ChatEvents {
  /** A line is new or has changed: one of the visitor's is final once the gateway has it. */
  line: Line
  state: ChatState
  /** Whether the chat has its connection; without it, it connects again by itself. */
  connection: boolean
  /** The gateway's sentence about a message that it did not take. */
  refused: string
}

/** Whom a chat is with, and as whom it is opened. */
export interface OpenChat {
  url: string
  agent: string
  /** A key that opens `talk`, or the token of the chat. */
  bearer: string
  env?: string
  /** A chat that was opened by a request. */
  call?: string
}

export type StartChat = PageKey & { url: string }

/** Opens a chat with the agent of a publishable key; fails with a sentence. */
export async function startChat({ url, ...page }: StartChat): Promise<BrowserChat> {
  const { call, agent, token } = await openFromPage(url, page, 'chat')
  return new BrowserChat({ url, agent, bearer: token, call })
}

/** A chat with an agent, resumed after a lost connection. */
export class BrowserChat {
  /** The agent's name. */
  readonly agent: string
  readonly #opening: OpenChat
  readonly #listeners = new Listeners<ChatEvents>()
  /** Sent and not yet confirmed, in order; sent again after a lost connection. */
  readonly #unconfirmed = new Map<string, string>()
  #socket: WebSocket | undefined
  #call: string | null
  #seq = 0
  #lines: readonly Line[] = []
  #state: ChatState = 'opening'

  constructor(opening: OpenChat) {
    this.#opening = opening
    this.agent = opening.agent
    this.#call = opening.call ?? null
    this.#connect()
  }

  get state(): ChatState {
    return this.#state
  }

  /** The call's id, once it is known. */
  get call(): string | null {
    return this.#call
  }

  /** What was written so far; the same array until something changes. */
  get lines(): readonly Line[] {
    return this.#lines
  }

  /** The last message has no answer yet. */
  get isAnswering(): boolean {
    const last = this.#lines.at(-1)
    return this.#state === 'open' && this.isConnected && last?.who === 'user'
  }

  /** Without a connection nobody answers until there is one again. */
  get isConnected(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN
  }

  /** Answers how to stop listening. */
  on<Name extends keyof ChatEvents>(name: Name, listener: (event: ChatEvents[Name]) => void): () => void {
    return this.#listeners.on(name, listener)
  }

  say(text: string): void {
    const id = crypto.randomUUID()
    this.#send(id, { type: 'message', text, id })
    this.#put({ id, who: 'user', text, isFinal: false })
  }

  /** Ends the conversation. */
  end(): void {
    this.#send('end', { type: 'end' })
  }

  /** Leaves without another word, which ends it too. */
  close(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
  }

  #connect(): void {
    const { url, agent, bearer, env } = this.#opening
    const address = new URL(`${gatewayUrl(url)}/v1/chat`)
    address.protocol = address.protocol.replace('http', 'ws')
    const resuming: Record<string, string> =
      this.#call === null ? {} : { call: this.#call, after: String(this.#seq) }
    address.search = String(new URLSearchParams({ agent, ...resuming }))
    // a browser's socket sends no headers, and a key must not be in a URL
    const protocols = ['svc', `svc.bearer.${bearer}`, ...(env === undefined ? [] : [`svc.env.${env}`])]
    const socket = new WebSocket(address, protocols)
    this.#socket = socket
    socket.addEventListener('message', ({ data }: MessageEvent<string>) => this.#take(JSON.parse(data)))
    socket.addEventListener('close', () => {
      if (this.#socket !== socket || this.#state === 'ended') return
      if (this.#state === 'opening') return this.#become('closed')
      this.#listeners.emit('connection', false)
      setTimeout(() => this.#socket === socket && this.#connect(), againMs)
    })
  }

  #send(id: string, frame: object): void {
    const text = JSON.stringify(frame)
    this.#unconfirmed.set(id, text)
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text)
  }

  #take(frame: ChatFrame): void {
    if ('seq' in frame) this.#seq = frame.seq
    if (frame.type === 'started') {
      this.#call = frame.call
      for (const text of this.#unconfirmed.values()) this.#socket?.send(text)
      this.#become('open')
      this.#listeners.emit('connection', true)
    } else if (frame.type === 'heard') {
      this.#unconfirmed.delete(frame.id)
      this.#put({ id: frame.id, who: 'user', text: frame.text, isFinal: true })
    } else if (frame.type === 'message')
      this.#put({ id: frame.messageId, who: 'agent', text: frame.text, isFinal: true })
    else if (frame.type === 'ended') this.#become('ended')
    else {
      this.#unconfirmed.delete([...this.#unconfirmed.keys()][0] ?? '') // the oldest
      this.#listeners.emit('refused', frame.detail)
    }
  }

  #put(line: Line): void {
    const isKnown = this.#lines.some(({ id }) => id === line.id)
    this.#lines = isKnown
      ? this.#lines.map((one) => (one.id === line.id ? line : one))
      : [...this.#lines, line]
    this.#listeners.emit('line', line)
  }

  #become(state: ChatState): void {
    if (this.#state === state) return
    this.#state = state
    this.#listeners.emit('state', state)
  }
}
