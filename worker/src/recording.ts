import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

const headerBytes = 44
const channels = 2
const bytesPerSample = 2

/** What both said in a call, as a file until it is handed over. */
export class Recording {
  readonly #path = join(tmpdir(), `switchroom-${randomUUID()}.wav`)
  #file: WriteStream | undefined
  #sampleRate = 0
  #bytes = 0
  #isBroken = false

  /** 16 bit stereo, the caller left; of one sample rate throughout. */
  readonly take = (samples: Int16Array, sampleRate: number): void => {
    if (this.#isBroken || (this.#sampleRate !== 0 && sampleRate !== this.#sampleRate)) return
    this.#file ??= this.#begin(sampleRate)
    const bytes = Buffer.from(
      samples.buffer.slice(samples.byteOffset, samples.byteOffset + samples.byteLength),
    )
    this.#bytes += bytes.length
    this.#file.write(bytes)
  }

  /** Hands the whole over, where anything was said, and keeps nothing. */
  async handOver(take: (file: Readable) => Promise<void>): Promise<void> {
    const file = this.#file
    if (!file) return
    try {
      await new Promise<void>((resolve) => file.end(resolve))
      if (this.#isBroken) throw new Error('the recording could not be written')
      await this.#writeHeader()
      await take(createReadStream(this.#path))
    } finally {
      await rm(this.#path, { force: true })
    }
  }

  #begin(sampleRate: number): WriteStream {
    this.#sampleRate = sampleRate
    const file = createWriteStream(this.#path, { mode: 0o600 })
    file.on('error', () => (this.#isBroken = true)) // a full disk ends the recording and not the call
    file.write(Buffer.alloc(headerBytes))
    return file
  }

  /** Known only now: how long it is. */
  async #writeHeader() {
    const file = await open(this.#path, 'r+')
    await file.write(wavHeader(this.#bytes, this.#sampleRate), 0, headerBytes, 0)
    await file.close()
  }
}

function wavHeader(dataBytes: number, sampleRate: number): Buffer {
  const header = Buffer.alloc(headerBytes)
  header.write('RIFF', 0)
  header.writeUInt32LE(headerBytes - 8 + dataBytes, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20) // PCM
  header.writeUInt16LE(channels, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * channels * bytesPerSample, 28)
  header.writeUInt16LE(channels * bytesPerSample, 32)
  header.writeUInt16LE(8 * bytesPerSample, 34)
  header.write('data', 36)
  header.writeUInt32LE(dataBytes, 40)
  return header
}
