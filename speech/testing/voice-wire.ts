import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A vendor's speech endpoint of which a test decides every step: one POST, raw samples at 24000 back. */
export class VoiceWire {
  /** What is done with the next requests. */
  answer: (response: ServerResponse, input: string) => void | Promise<void> = (response) =>
    void response.end(Buffer.alloc(48_000))
  /** When each request was cancelled before its response was whole, by the clock of `performance`. */
  readonly cancelledAt: number[] = []
  asked = 0
  open = 0
  readonly #server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.once('end', () => {
      this.asked += 1
      const { input } = JSON.parse(Buffer.concat(pieces).toString()) as { input: string }
      void this.answer(response, input)
    })
    this.open += 1
    response.once('close', () => {
      this.open -= 1
      if (!response.writableFinished) this.cancelledAt.push(performance.now())
    })
  })

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
