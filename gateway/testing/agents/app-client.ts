import { once } from 'node:events'
import type { WebSocket } from 'ws'
import { openSocket } from '../http/sockets.ts'
import { until } from '../until.ts'

/** A frame as it came; tests read fields of frames whose shape they are there to prove. */
// oxlint-disable-next-line typescript/no-explicit-any
export type CameFrame = any

/** An app on its socket. */
export class AppClient {
  readonly socket: WebSocket
  readonly frames: CameFrame[] = []
  /** Settles when the socket is closed, with the code and the reason. */
  readonly closed: Promise<[code: number, reason: string]>
  #read = 0

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data: Buffer) => this.frames.push(JSON.parse(data.toString())))
    this.closed = once(socket, 'close').then(([code, reason]) => [code, String(reason)])
  }

  static async connect(base: string, key: string, env?: string): Promise<AppClient> {
    const headers = { authorization: `Bearer ${key}`, ...(env && { 'svc-env': env }) }
    const opened = await openSocket(`${base}/v1/apps`, headers)
    if (!('readyState' in opened)) throw new Error(`refused: ${JSON.stringify(opened)}`)
    return new AppClient(opened)
  }

  send(frame: object) {
    this.socket.send(JSON.stringify(frame))
  }

  /** The next frame that the test has not read yet. */
  async next(): Promise<CameFrame> {
    await until('a frame comes', () => this.frames.length > this.#read)
    this.#read += 1
    return this.frames[this.#read - 1]
  }

  /** The frames that come up to one of this type, with that one. */
  async upTo(type: string): Promise<CameFrame[]> {
    const came = [await this.next()]
    while (came.at(-1).type !== type) came.push(await this.next())
    return came
  }

  /** The next frame of this type; those before it are passed over. */
  async nextOf(type: string): Promise<CameFrame> {
    return (await this.upTo(type)).at(-1)
  }

  async ask(frame: object): Promise<CameFrame> {
    this.send(frame)
    return this.next()
  }

  /** Answered `agent.registered` or `error`. */
  register(agent: string, more: object = {}): Promise<CameFrame> {
    return this.ask({ type: 'agent.register', agent, ...more })
  }

  async close() {
    this.socket.close()
    await this.closed
  }
}
