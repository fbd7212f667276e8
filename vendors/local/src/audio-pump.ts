import type { LiveAudio } from '@switchroom/kit/vendor'
import type { Exchange } from './exchange.ts'

const mostPieceBytes = 32 * 1024
/** Sent and not listened to yet; while there is more, nothing further is pulled from the source. */
const mostUntakenBytes = 256 * 1024

/** Sends a source of audio to a program, as fast as the program takes it, until either is over. */
export class AudioPump {
  readonly #source: AsyncIterator<LiveAudio>
  readonly #exchange: Exchange
  #untaken = 0
  #wake: (() => void) | undefined
  #isOver = false

  constructor(audio: AsyncIterable<LiveAudio>, exchange: Exchange) {
    this.#source = audio[Symbol.asyncIterator]()
    this.#exchange = exchange
    void exchange.over.then(() => this.#stop())
  }

  start() {
    this.#run().catch((error: unknown) => this.#exchange.cancel(error))
  }

  taken(bytes: number) {
    this.#untaken -= bytes
    this.#wake?.()
  }

  async #run() {
    for (let next = await this.#source.next(); !this.#isOver; next = await this.#source.next()) {
      if (next.done) {
        this.#exchange.send({ type: 'end' })
        return
      }
      if (next.value === 'finalize') this.#exchange.send({ type: 'finalize' })
      else for (const piece of piecesOf(next.value)) await this.#send(piece)
    }
  }

  async #send(piece: Uint8Array) {
    while (this.#untaken >= mostUntakenBytes && !this.#isOver)
      await new Promise<void>((resolve) => (this.#wake = resolve))
    this.#untaken += piece.length
    this.#exchange.send({ type: 'audio' }, piece)
  }

  /** Does not wait for the source to end: it may be waiting for its next piece. */
  #stop() {
    this.#isOver = true
    this.#wake?.()
    this.#source.return?.().catch(() => {})
  }
}

function* piecesOf(audio: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < audio.length; at += mostPieceBytes) yield audio.subarray(at, at + mostPieceBytes)
}
