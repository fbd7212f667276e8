import { samplesOf } from '@switchroom/audio/pcm'
import { BitWriter } from './bit-writer.ts'

const bitsPerSample = 16
const highestOrder = 4
const highestParameter = 14
const partitionOrder = 3
const rateCodes = { 16_000: 0b0101, 24_000: 0b0111 } as const
const nothing = new Uint8Array(0)

/** FLAC (RFC 9639) of 16-bit mono samples, of a length that is not known before its end: a frame for a tenth of a second. */
export class Flac {
  readonly #sampleRate: 16_000 | 24_000
  readonly #block: Int16Array
  #filled = 0
  #frames = 0
  #hasHead = false

  constructor(sampleRate: 16_000 | 24_000) {
    this.#sampleRate = sampleRate
    this.#block = new Int16Array(sampleRate / 10)
  }

  take(pcm: Uint8Array): Uint8Array {
    const samples = samplesOf(pcm)
    const made: Uint8Array[] = []
    for (let at = 0; at < samples.length;) {
      const part = samples.subarray(at, at + this.#block.length - this.#filled)
      this.#block.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
      if (this.#filled === this.#block.length) made.push(this.#frame())
    }
    return made.length > 0 ? Buffer.concat([this.#head(), ...made]) : nothing
  }

  end(): Uint8Array {
    return Buffer.concat([this.#head(), this.#filled > 0 ? this.#frame() : nothing])
  }

  /** How many samples there are, and their digest, are left open. */
  #head(): Uint8Array {
    if (this.#hasHead) return nothing
    this.#hasHead = true
    const writer = new BitWriter()
    writer.write(0x664c6143, 32) // fLaC
    writer.write(0x80, 8)
    writer.write(34, 24)
    writer.write(this.#block.length, 16)
    writer.write(this.#block.length, 16)
    writer.write(0, 24)
    writer.write(0, 24)
    writer.write(this.#sampleRate, 20)
    writer.write(0, 3)
    writer.write(bitsPerSample - 1, 5)
    writer.write(0, 4)
    for (let word = 0; word < 5; word += 1) writer.write(0, 32)
    return writer.bytes()
  }

  #frame(): Uint8Array {
    const samples = this.#block.subarray(0, this.#filled)
    this.#filled = 0
    const writer = new BitWriter()
    writer.write(0xfff8, 16)
    writer.write(0b0111, 4) // the size of the block stands behind the number of the frame
    writer.write(rateCodes[this.#sampleRate], 4)
    writer.write(0b0000_100_0, 8)
    for (const byte of codedNumber(this.#frames++)) writer.write(byte, 8)
    writer.write(samples.length - 1, 16)
    writer.write(checksum(writer.bytes(), 8, 0x07), 8)
    writeSamples(writer, samples)
    writer.pad()
    writer.write(checksum(writer.bytes(), 16, 0x8005), 16)
    return writer.bytes()
  }
}

/** As the difference to what the samples before let expect, whichever way of expecting it leaves the least. */
function writeSamples(writer: BitWriter, samples: Int16Array) {
  let residual = Int32Array.from(samples)
  let best = { order: 0, residual, bits: bitsOf(residual, 0, samples.length) }
  for (let order = 1; order <= Math.min(highestOrder, samples.length - 1); order += 1) {
    residual = residual.slice()
    for (let at = residual.length - 1; at >= order; at -= 1)
      residual[at] = (residual[at] as number) - (residual[at - 1] as number)
    const bits = bitsOf(residual, order, samples.length)
    if (bits < best.bits) best = { order, residual, bits }
  }
  if (best.bits >= bitsPerSample * samples.length) {
    writer.write(0b0_000001_0, 8)
    for (const sample of samples) writer.write(sample, bitsPerSample)
    return
  }
  writer.write(0b0_001000_0 | (best.order << 1), 8)
  for (const sample of samples.subarray(0, best.order)) writer.write(sample, bitsPerSample)
  writeResidual(writer, best.residual, best.order)
}

function writeResidual(writer: BitWriter, residual: Int32Array, order: number) {
  const partitions = partitionsOf(residual.length, order)
  writer.write(0b00, 2)
  writer.write(Math.log2(partitions.length), 4)
  for (const [from, to] of partitions) {
    const parameter = parameterOf(residual, from, to)
    writer.write(parameter, 4)
    for (let at = from; at < to; at += 1) {
      const folded = foldedAt(residual, at)
      writer.writeUnary(folded >>> parameter)
      writer.write(folded, parameter)
    }
  }
}

/** Eight alike parts, where there are enough samples for them. */
function partitionsOf(samples: number, order: number): [from: number, to: number][] {
  const each = samples >> partitionOrder
  if (each << partitionOrder !== samples || each <= highestOrder) return [[order, samples]]
  return Array.from({ length: 1 << partitionOrder }, (_, at) => [
    at === 0 ? order : at * each,
    (at + 1) * each,
  ])
}

/** About how long it gets with this residual. */
function bitsOf(residual: Int32Array, order: number, samples: number): number {
  let bits = order * bitsPerSample
  for (const [from, to] of partitionsOf(samples, order)) {
    const parameter = parameterOf(residual, from, to)
    bits += 4 + (to - from) * (parameter + 1)
    for (let at = from; at < to; at += 1) bits += foldedAt(residual, at) >>> parameter
  }
  return bits
}

/** How many low bits of each number are written as they are: about as many as the mean has. */
function parameterOf(residual: Int32Array, from: number, to: number): number {
  let sum = 0
  for (let at = from; at < to; at += 1) sum += foldedAt(residual, at)
  const mean = to > from ? sum / (to - from) : 0
  return Math.min(highestParameter, mean > 1 ? Math.floor(Math.log2(mean)) : 0)
}

/** 0, -1, 1, -2, 2 as 0, 1, 2, 3, 4. */
function foldedAt(residual: Int32Array, at: number): number {
  const value = residual[at] as number // within its length
  return ((value << 1) ^ (value >> 31)) >>> 0
}

/** A number as UTF-8 codes one. */
function codedNumber(number: number): number[] {
  if (number < 0x80) return [number]
  const rest: number[] = []
  let left = number
  let most = 0x3f
  while (left > most) {
    rest.unshift(0x80 | (left & 0x3f))
    left >>>= 6
    most >>>= 1
  }
  return [((0xff << (7 - rest.length)) & 0xff) | left, ...rest]
}

function checksum(bytes: Uint8Array, bits: 8 | 16, polynomial: number): number {
  const top = 1 << (bits - 1)
  const mask = (1 << bits) - 1
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << (bits - 8)
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & top ? (crc << 1) ^ polynomial : crc << 1) & mask
  }
  return crc
}
