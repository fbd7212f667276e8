import type { LiveAudio } from '@switchroom/kit/vendor'
import { decodeG711 } from '@switchroom/audio/g711'
import { bytesOf, PcmResampler } from '@switchroom/audio/pcm'
import type { LiveArguments } from './live-arguments.ts'

/** Speech-to-text needs no more samples than this. */
const mostRate = 16_000
const pieceMs = 100
/** While more waits than this, nothing further is read from the client; again when half of it is gone. */
const mostWaitingBytes = 256 * 1024

interface Watcher {
  /** More audio came than was taken, or no longer. */
  onFull(isFull: boolean): void
  /** Something was taken. */
  onTaken(): void
}

/** A client's audio on its way to speech-to-text: whole samples, at a rate it takes, in small pieces. */
export class ClientAudio implements AsyncIterable<LiveAudio> {
  /** Of the audio that speech-to-text gets. */
  readonly sampleRate: number
  readonly #format: Pick<LiveArguments, 'encoding' | 'sampleRate'>
  readonly #watcher: Watcher
  readonly #resampler: PcmResampler
  readonly #pieceBytes: number
  readonly #waiting: LiveAudio[] = []
  #waitingBytes = 0
  #isFull = false
  #isOver = false
  #bytes = 0
  /** The first half of a sample whose other half is still to come. */
  #half = Buffer.alloc(0)
  #wake: (() => void) | undefined

  constructor(format: Pick<LiveArguments, 'encoding' | 'sampleRate'>, watcher: Watcher) {
    this.#format = format
    this.#watcher = watcher
    this.sampleRate = Math.min(format.sampleRate, mostRate)
    this.#resampler = new PcmResampler(format.sampleRate, this.sampleRate)
    this.#pieceBytes = (2 * this.sampleRate * pieceMs) / 1_000
  }

  /** Of all that was sent. */
  get seconds(): number {
    const { encoding, sampleRate } = this.#format
    return this.#bytes / ((encoding === 'mulaw' ? 1 : 2) * sampleRate)
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  take(bytes: Buffer) {
    if (this.#isOver) return
    this.#bytes += bytes.length
    this.#put(
      this.#resampler.take(
        this.#format.encoding === 'mulaw' ? bytesOf(decodeG711('PCMU', bytes)) : this.#whole(bytes),
      ),
    )
  }

  finalize() {
    if (this.#isOver) return
    this.#waiting.push('finalize')
    this.#wake?.()
  }

  end() {
    if (this.#isOver) return
    this.#put(this.#resampler.end())
    this.#isOver = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LiveAudio> {
    for (;;) {
      const next = this.#waiting.shift()
      if (next !== undefined) {
        this.#took(next)
        yield next
      } else if (this.#isOver) return
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  #whole(bytes: Buffer): Buffer {
    const joined = this.#half.length === 0 ? bytes : Buffer.concat([this.#half, bytes])
    const whole = joined.length - (joined.length % 2)
    this.#half = Buffer.from(joined.subarray(whole))
    return joined.subarray(0, whole)
  }

  #put(pcm: Uint8Array) {
    for (let at = 0; at < pcm.length; at += this.#pieceBytes)
      this.#waiting.push(pcm.subarray(at, at + this.#pieceBytes))
    this.#waitingBytes += pcm.length
    if (!this.#isFull && this.#waitingBytes > mostWaitingBytes) this.#watcher.onFull((this.#isFull = true))
    this.#wake?.()
  }

  #took(piece: LiveAudio) {
    if (piece !== 'finalize') this.#waitingBytes -= piece.length
    if (this.#isFull && this.#waitingBytes < mostWaitingBytes / 2)
      this.#watcher.onFull((this.#isFull = false))
    this.#watcher.onTaken()
  }
}
