import type { Readable } from 'node:stream'
import { badRequest, Refusal } from '../../foundation/refusals.ts'
import { OggOpusMeter } from './ogg-opus-meter.ts'
import type { RecordingFormat } from './recording-formats.ts'
import { WavMeter } from './wav-meter.ts'

const mostMegabytes = 200
const mostBytes = mostMegabytes * 1024 * 1024

/** What a worker sends, measured and checked while it is stored. */
export class RecordedSound implements AsyncIterable<Uint8Array> {
  readonly #sound: Readable
  readonly #room: number
  readonly #format: RecordingFormat
  readonly #meter: WavMeter | OggOpusMeter
  #bytes = 0

  constructor(sound: Readable, room: number, format: RecordingFormat) {
    this.#sound = sound
    this.#room = room
    this.#format = format
    this.#meter = format === 'opus' ? new OggOpusMeter() : new WavMeter()
  }

  /** Known when it has been read to its end. */
  get durationMs(): number {
    return this.#meter.durationMs ?? 0
  }

  async *[Symbol.asyncIterator]() {
    try {
      for await (const chunk of this.#sound.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        this.#bytes += chunk.length
        this.#meter.take(chunk)
        if (this.#meter.isOther) throw noSound(this.#format)
        if (this.#bytes > mostBytes) throw tooLong()
        if (this.#bytes > this.#room) throw tooMuch()
        yield chunk
      }
    } catch (error) {
      throw this.#sound.errored ? badRequest('the recording broke off') : error
    }
    if (this.#meter.durationMs === undefined) throw noSound(this.#format)
  }

  /** Unread data would keep the sender from reading the refusal. */
  drop() {
    this.#sound.resume()
  }
}

const noSound = (format: RecordingFormat) =>
  badRequest(format === 'opus' ? 'a recording sent as audio/ogg is Ogg Opus' : 'a recording is a WAV file')
export const tooMuch = () =>
  new Refusal(
    429,
    "the org's recordings have reached their cap: delete some by erasing contacts, or ask the operator for more",
    { connection: 'close' },
  )
const tooLong = () => new Refusal(413, `a recording has ${mostMegabytes} MB at most`, { connection: 'close' })
