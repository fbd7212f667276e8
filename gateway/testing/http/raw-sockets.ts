import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A connection of which a test writes every byte. */
export class RawSocket {
  readonly socket: Socket
  /** What came back so far. */
  received = ''
  readonly closed: Promise<unknown>

  constructor(url: string, localAddress = '127.0.0.1') {
    this.socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress })
    this.socket.on('data', (chunk) => (this.received += String(chunk)))
    this.socket.on('error', () => {}) // a connection that is refused is reset
    this.closed = new Promise((resolve) => this.socket.once('close', resolve))
  }

  get isOpen(): boolean {
    return !this.socket.destroyed
  }

  write(text: string): this {
    this.socket.write(text)
    return this
  }

  async connected(): Promise<this> {
    if (this.socket.connecting) await Promise.race([once(this.socket, 'connect'), this.closed])
    return this
  }

  destroy() {
    this.socket.destroy()
  }
}

/** The head of a request whose body has so many bytes. */
export const headOf = (path: string, bodyBytes: number, headers: Record<string, string> = {}) =>
  [
    `POST ${path} HTTP/1.1`,
    'host: switchroom.test',
    'content-type: application/json',
    `content-length: ${bodyBytes}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n')
