import type { AudioSample, AudioSampleSource, Output } from 'mediabunny'
import { samplesOf } from '@switchroom/audio/pcm'

const bitsPerSecond = 64_000

interface Encoding {
  output: Output
  source: AudioSampleSource
  Sample: typeof AudioSample
}

/** AAC-LC in ADTS frames, of 16-bit mono samples. It is encoded in a thread of its own. */
export class Aac {
  readonly #sampleRate: number
  readonly #made: Uint8Array[] = []
  #encoding: Promise<Encoding> | undefined
  #samples = 0

  constructor(sampleRate: number) {
    this.#sampleRate = sampleRate
  }

  async take(pcm: Uint8Array): Promise<Uint8Array> {
    const { source, Sample } = await this.#begun()
    const data = samplesOf(pcm).slice()
    const sample = new Sample({
      data,
      format: 's16',
      numberOfChannels: 1,
      sampleRate: this.#sampleRate,
      timestamp: this.#samples / this.#sampleRate,
    })
    this.#samples += data.length
    await source.add(sample)
    sample.close()
    return this.#taken()
  }

  async end(): Promise<Uint8Array> {
    const { output } = await this.#begun()
    await output.finalize()
    return this.#taken()
  }

  /** Ends the thread of a sound that has no end. */
  close() {
    const stop = async ({ output }: Encoding) => {
      if (output.state !== 'finalized') await output.cancel()
    }
    this.#encoding?.then(stop).catch(() => {}) // what did not begin needs no end
  }

  #begun(): Promise<Encoding> {
    this.#encoding ??= begun(this.#sampleRate, (bytes) => this.#made.push(bytes))
    return this.#encoding
  }

  #taken(): Uint8Array {
    return Buffer.concat(this.#made.splice(0))
  }
}

/** Loaded with its first use: few ask for it, and it is large. */
async function begun(sampleRate: number, keep: (bytes: Uint8Array) => void): Promise<Encoding> {
  const media = await import('mediabunny')
  const { registerAacEncoder } = await import('@mediabunny/aac-encoder')
  registerAacEncoder()
  const target = new media.AppendOnlyStreamTarget(
    new WritableStream<Uint8Array>({ write: (bytes) => keep(bytes.slice()) }),
  )
  const output = new media.Output({ format: new media.AdtsOutputFormat(), target })
  const source = new media.AudioSampleSource({ codec: 'aac', bitrate: bitsPerSecond })
  output.addAudioTrack(source)
  await output.start()
  return { output, source, Sample: media.AudioSample }
}
