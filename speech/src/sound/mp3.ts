import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { createEncoder, WasmMediaEncoder } from 'wasm-media-encoders'
import { samplesOf } from '@switchroom/audio/pcm'

const bitrate = 64
const mostSpare = 4

type Encoder = WasmMediaEncoder<'audio/mpeg'>

/** The program of the encoder, compiled with its first use. Node's types have no name for it. */
let program: Parameters<typeof createEncoder>[1]
const spare: Encoder[] = []

/** MPEG audio frames of 16-bit mono samples. */
export class Mp3 {
  readonly #encoder: Encoder

  constructor(sampleRate: number, encoder: Encoder) {
    this.#encoder = encoder
    encoder.configure({ sampleRate, channels: 1, bitrate })
  }

  static async encoder(): Promise<Encoder> {
    const kept = spare.pop()
    if (kept) return kept
    const { createEncoder: create } = await import('wasm-media-encoders')
    program ??= await readFile(fileURLToPath(import.meta.resolve('wasm-media-encoders/wasm/mp3')))
    return create('audio/mpeg', program, (compiled) => (program = compiled))
  }

  take(pcm: Uint8Array): Uint8Array {
    const samples = new Float32Array(samplesOf(pcm))
    for (let at = 0; at < samples.length; at += 1) samples[at] = (samples[at] as number) / 32_768
    return this.#encoder.encode([samples]).slice() // the encoder writes over it
  }

  end(): Uint8Array {
    const last = this.#encoder.finalize().slice()
    if (spare.length < mostSpare) spare.push(this.#encoder)
    return last
  }
}
