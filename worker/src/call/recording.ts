import { randomUUID } from 'node:crypto'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Peaks } from '@switchroom/audio/peaks'
import { newRecordingEncoder, type RecordingEncoder, type RecordingFormat } from './recording-formats.ts'

const channels = 2

export interface RecordedFile {
  format: RecordingFormat
  /** The loudest samples of the caller and the agent in turn. */
  peaks: Uint8Array
  /** Reads the whole of it, as often as it is asked for. */
  open: () => Readable
}

/** What both said in a call, as a file until it is handed over. */
export class Recording {
  #file: Promise<FileHandle> | undefined
  #waiting: Uint8Array[] = []
  #writing: Promise<void> | undefined
  readonly #wanted: RecordingFormat
  readonly #peaks = new Peaks(channels)
  #encoder: RecordingEncoder | undefined
  #sampleRate = 0
  #bytes = 0
  #isBroken = false

  constructor(wanted: RecordingFormat) {
    this.#wanted = wanted
  }

  /** 16 bit stereo, the caller left; of one sample rate throughout. */
  readonly take = (samples: Int16Array, sampleRate: number): void => {
    if (this.#isBroken || (this.#sampleRate !== 0 && sampleRate !== this.#sampleRate)) return
    this.#sampleRate = sampleRate
    this.#encoder ??= newRecordingEncoder(this.#wanted, sampleRate)
    this.#peaks.take(samples)
    this.#waiting.push(this.#encoder.encode(samples))
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined))
  }

  /** Hands the whole over, if anything was said, and keeps nothing. */
  async handOver(take: (recorded: RecordedFile) => Promise<void>): Promise<void> {
    const encoder = this.#encoder
    if (!encoder) return
    await this.#writing
    this.#waiting.push(encoder.end())
    await this.#write() // what came as the last of it ended
    const file = await this.#file?.catch(() => undefined)
    const streams: Readable[] = []
    try {
      if (!file || this.#isBroken) throw new Error('the recording could not be written')
      const head = encoder.head(this.#bytes) // known only now
      await file.write(head, 0, head.length, 0)
      const openStream = () => {
        const stream = file.createReadStream({ start: 0, autoClose: false })
        streams.push(stream)
        return stream
      }
      await take({ format: encoder.format, peaks: this.#peaks.bytes, open: openStream })
    } finally {
      for (const stream of streams) stream.destroy()
      await file?.close()
    }
  }

  async #write(): Promise<void> {
    try {
      const file = await (this.#file ??= openNameless())
      while (this.#waiting.length > 0) {
        const pieces = Buffer.concat(this.#waiting.splice(0))
        await file.write(pieces, 0, pieces.length, (this.#encoder?.headBytes ?? 0) + this.#bytes)
        this.#bytes += pieces.length
      }
    } catch {
      this.#isBroken = true // a full disk ends the recording and not the call
    }
  }
}

/** A file that has no name, so that nothing of it stays behind, however this process ends. */
async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `switchroom-${randomUUID()}.recording`)
  const file = await open(path, 'wx+', 0o600)
  await rm(path)
  return file
}
