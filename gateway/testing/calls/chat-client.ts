import { once } from 'node:events'
import type { ChatFrame } from '@switchroom/contract/chat'
import { WebSocket } from 'ws'
import { refusalOf, type SocketRefusal } from '../http/sockets.ts'
import { until } from '../until.ts'

type Named<Type extends ChatFrame['type']> = Extract<ChatFrame, { type: Type }>

/** A client of a chat. */
export class ChatClient {
  readonly socket: WebSocket
  readonly frames: ChatFrame[] = []
  /** The code and the reason, once the socket is closed. */
  #closedAs: [code: number, reason: string] | undefined
  #read = 0

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data: Buffer) => this.frames.push(JSON.parse(data.toString()) as ChatFrame))
    socket.on('close', (code: number, reason: Buffer) => (this.#closedAs = [code, String(reason)]))
    socket.on('error', () => {})
  }

  /** A client, or how it was refused. */
  static async ask(
    base: string,
    key: string,
    query: Record<string, string>,
    env?: string,
  ): Promise<ChatClient | SocketRefusal> {
    const headers = { authorization: `Bearer ${key}`, ...(env && { 'svc-env': env }) }
    const url = `${base.replace(/^http/, 'ws')}/v1/chat?${new URLSearchParams(query).toString()}`
    // listens before it is open: the first frame may come with the answer to the handshake
    const client = new ChatClient(new WebSocket(url, { headers, handshakeTimeout: 10_000 }))
    return Promise.race([once(client.socket, 'open').then(() => client), refusalOf(client.socket)])
  }

  static async connect(...asked: Parameters<typeof ChatClient.ask>): Promise<ChatClient> {
    const client = await ChatClient.ask(...asked)
    if (!(client instanceof ChatClient)) throw new Error(`refused: ${JSON.stringify(client)}`)
    return client
  }

  get call(): string {
    const [started] = this.frames
    if (started?.type !== 'started') throw new Error('the chat has not started')
    return started.call
  }

  /** The last cursor that a frame carried. */
  get seq(): number {
    return this.frames.reduce((seq, frame) => ('seq' in frame ? Math.max(seq, frame.seq) : seq), 0)
  }

  send(frame: object) {
    this.socket.send(JSON.stringify(frame))
  }

  say(text: string, id?: string) {
    this.send({ type: 'message', text, ...(id !== undefined && { id }) })
  }

  /** The next frame of this type that the test has not read yet; those before it count as read. */
  async next<Type extends ChatFrame['type']>(type: Type): Promise<Named<Type>> {
    const isIt = (frame: ChatFrame, at: number) => at >= this.#read && frame.type === type
    const at = await until(`${type} comes`, () => this.frames.findIndex(isIt) + 1)
    this.#read = at
    return this.frames[at - 1] as Named<Type>
  }

  /** Says something and waits for the answer. */
  async ask(text: string): Promise<string> {
    this.say(text)
    return (await this.next('message')).text
  }

  /** Settles when the socket is closed, with the code and the reason. */
  closed(): Promise<[code: number, reason: string]> {
    return until('the socket closes', () => this.#closedAs)
  }

  /** As when the network breaks. */
  async cut() {
    this.socket.terminate()
    await this.closed()
  }

  async close(code = 1000) {
    this.socket.close(code)
    await this.closed()
  }
}
