import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** What one packet may hold, and the longest gap that is filled at once. */
const longestMs = 400
const longestPacket = 8192

interface OpusModule {
  memory: WebAssembly.Memory
  malloc(bytes: number): number
  free(at: number): void
  opus_decoder_get_size(channels: number): number
  opus_decoder_init(at: number, sampleRate: number, channels: number): number
  opus_decode(at: number, packet: number, bytes: number, into: number, most: number, fec: number): number
}

let loaded: { opus: OpusModule; packet: number; sound: number } | undefined

/**
 * The library's own binding decodes whole packets alone; its module also fills gaps, and reads what a packet repeats of
 * the one before it. It has no memory but its own, whatever a stranger sends.
 */
function load() {
  if (loaded) return loaded
  const file = createRequire(import.meta.url).resolve('@evan/opus/wasm/simd.wasm')
  const none = () => 0
  const instance = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)), {
    wasi_snapshot_preview1: { proc_exit: none, fd_close: none, fd_write: none, fd_seek: none },
    env: { emscripten_notify_memory_growth: none },
  })
  const opus = instance.exports as unknown as OpusModule
  loaded = { opus, packet: opus.malloc(longestPacket), sound: opus.malloc(2 * 48 * longestMs) }
  return loaded
}

const unused = new FinalizationRegistry<number>((at) => load().opus.free(at))

/** Decodes Opus to one channel, and makes up for what is lost. */
export class OpusDecoder {
  readonly #sampleRate: number
  readonly #at: number

  constructor(sampleRate: 8000 | 16_000 | 24_000 | 48_000) {
    const { opus } = load()
    this.#sampleRate = sampleRate
    this.#at = opus.malloc(opus.opus_decoder_get_size(1))
    opus.opus_decoder_init(this.#at, sampleRate, 1)
    unused.register(this, this.#at)
  }

  /** Undefined for what is no Opus. */
  decode(payload: Uint8Array): Int16Array | undefined {
    if (payload.length === 0) return undefined
    return this.#run(payload, (this.#sampleRate * 120) / 1000, 0)
  }

  /** So many samples that were lost; the packet behind them, if it is there, may repeat some. */
  conceal(samples: number, next?: Uint8Array): Int16Array {
    // it counts in steps of 2.5 ms
    const step = this.#sampleRate / 400
    const whole = Math.min(Math.ceil(samples / step) * step, (this.#sampleRate * longestMs) / 1000)
    const made = (next && this.#run(next, whole, 1)) ?? this.#run(undefined, whole, 0)
    return made ? made.subarray(0, samples) : new Int16Array(samples)
  }

  #run(payload: Uint8Array | undefined, most: number, fec: 0 | 1): Int16Array | undefined {
    const { opus, packet, sound } = load()
    if (payload && payload.length > longestPacket) return undefined
    if (payload) new Uint8Array(opus.memory.buffer, packet, payload.length).set(payload)
    const made = opus.opus_decode(this.#at, payload ? packet : 0, payload?.length ?? 0, sound, most, fec)
    // the next call writes over it
    return made < 0 ? undefined : new Int16Array(opus.memory.buffer.slice(sound, sound + 2 * made))
  }
}

/** A packet of one byte or two holds no sound: its sender is silent until it sends another one (RFC 6716 2.1.9). */
export const isOpusPause = (payload: Uint8Array) => payload.length <= 2
