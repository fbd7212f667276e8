import { randomUUID } from 'node:crypto'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { wavHeader, wavHeaderBytes } from '@switchroom/audio/wav'

const channels = 2

/** Reads the whole of it, as often as it is asked for. */
export type OpenRecording = () => Readable

/** What both said in a call, as a file until it is handed over. */
export class Recording {
  #file: Promise<FileHandle> | undefined
  #waiting: Uint8Array[] = []
  #writing: Promise<void> | undefined
  #sampleRate = 0
  #bytes = 0
  #isBroken = false

  /** 16 bit stereo, the caller left; of one sample rate throughout. */
  readonly take = (samples: Int16Array, sampleRate: number): void => {
    if (this.#isBroken || (this.#sampleRate !== 0 && sampleRate !== this.#sampleRate)) return
    this.#sampleRate = sampleRate
    const { buffer, byteOffset, byteLength } = samples
    this.#waiting.push(new Uint8Array(buffer.slice(byteOffset, byteOffset + byteLength)))
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined))
  }

  /** Hands the whole over, if anything was said, and keeps nothing. */
  async handOver(take: (open: OpenRecording) => Promise<void>): Promise<void> {
    if (this.#sampleRate === 0) return
    await this.#writing
    await this.#write() // what came as the last of it ended
    const file = await this.#file?.catch(() => undefined)
    const streams: Readable[] = []
    try {
      if (!file || this.#isBroken) throw new Error('the recording could not be written')
      const header = wavHeader({ sampleRate: this.#sampleRate, channels, dataBytes: this.#bytes }) // known only now
      await file.write(header, 0, wavHeaderBytes, 0)
      await take(() => {
        const stream = file.createReadStream({ start: 0, autoClose: false })
        streams.push(stream)
        return stream
      })
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
        await file.write(pieces, 0, pieces.length, wavHeaderBytes + this.#bytes)
        this.#bytes += pieces.length
      }
    } catch {
      this.#isBroken = true // a full disk ends the recording and not the call
    }
  }
}

/** A file that has no name, so that nothing of it stays behind, however this process ends. */
async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `switchroom-${randomUUID()}.wav`)
  const file = await open(path, 'wx+', 0o600)
  await rm(path)
  return file
}
