import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'

const patienceMs = 60_000

export type LiveFrame = { type: string } & Record<string, unknown>

/** A client of live transcription, with every frame that it was sent. */
export class LiveClient {
  readonly socket: WebSocket
  readonly frames: LiveFrame[] = []
  readonly closed: Promise<number>
  /** The answer to the handshake. */
  readonly handshake: Promise<{ status: number; headers: IncomingMessage['headers']; body: string }>
  #wake = () => {}

  constructor(url: string, query = '', headers: Record<string, string> = { authorization: 'Bearer any' }) {
    const address = `${url.replace(/^http/, 'ws')}/v1/audio/transcriptions/stream${query}`
    this.socket = new WebSocket(address, { headers })
    this.closed = new Promise((resolve) =>
      this.socket.once('close', (code) => {
        resolve(code)
        this.#wake()
      }),
    )
    this.socket.on('message', (data: Buffer) => {
      this.frames.push(JSON.parse(data.toString()) as LiveFrame)
      this.#wake()
    })
    this.handshake = new Promise((resolve) => {
      this.socket.once('upgrade', ({ headers: sent }) => resolve({ status: 101, headers: sent, body: '' }))
      this.socket.once('unexpected-response', (_request, response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.once('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(pieces).toString(),
          })
          this.socket.terminate()
        })
      })
    })
    this.socket.on('error', () => {})
  }

  /** The first frame of this type, from the one at `from` on. */
  async frame(type: string, from = 0): Promise<LiveFrame> {
    const late = AbortSignal.timeout(patienceMs)
    for (;;) {
      const found = this.frames.slice(from).find((frame) => frame.type === type)
      if (found) return found
      assert.ok(
        this.socket.readyState <= WebSocket.OPEN,
        `closed without ${type}: ${JSON.stringify(this.frames)}`,
      )
      await new Promise<void>((resolve, reject) => {
        this.#wake = resolve
        late.addEventListener('abort', () => reject(new Error(`no ${type}: ${JSON.stringify(this.frames)}`)))
      })
    }
  }

  send(audio: Uint8Array) {
    this.socket.send(audio)
  }

  say(frame: object | string) {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  }

  async stop(): Promise<LiveFrame> {
    this.say({ type: 'stop' })
    return this.frame('done')
  }

  /** How it was refused: the frame that says so, and the close code behind it. */
  async refused(): Promise<{ code: unknown; error: unknown; close: number }> {
    const { code, error } = await this.frame('error')
    return { code, error, close: await this.closed }
  }
}
