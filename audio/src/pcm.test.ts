import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PcmResampler, samplesOf } from './pcm.ts'

const rates = [8_000, 16_000, 22_050, 24_000, 44_100, 48_000]

function tone(hertz: number, rate: number, seconds: number): Uint8Array {
  const samples = Int16Array.from({ length: rate * seconds }, (_, at) =>
    Math.round(10_000 * Math.sin((2 * Math.PI * hertz * at) / rate)),
  )
  return new Uint8Array(samples.buffer)
}

/** In pieces of every size, from every place in memory. */
function resampled(pcm: Uint8Array, from: number, to: number): Int16Array {
  const resampler = new PcmResampler(from, to)
  const made: Uint8Array[] = []
  for (let at = 0, size = 2; at < pcm.length; at += size, size = 2 + ((size * 7) % 1_500) * 2)
    made.push(resampler.take(placed(pcm.subarray(at, at + size), (at / 2) % 2)))
  return samplesOf(Buffer.concat([...made, resampler.end()]))
}

/** As a part of something larger, which begins anywhere. */
const placed = (pcm: Uint8Array, at: number) => Buffer.concat([Buffer.alloc(at), pcm]).subarray(at)

/** How far it is from the same tone made at that rate, against the tone itself. */
function error(made: Int16Array, wanted: Int16Array): number {
  let off = 0
  let all = 0
  for (let at = 200; at < made.length - 200; at += 1) {
    off += ((made[at] ?? 0) - (wanted[at] ?? 0)) ** 2
    all += (wanted[at] ?? 0) ** 2
  }
  return Math.sqrt(off / all)
}

test('a voice at any usual rate is the same sound at 16000 and 24000, and as long (S-302, SD-70)', () => {
  for (const from of rates)
    for (const to of [16_000, 24_000]) {
      const made = resampled(tone(1_000, from, 1), from, to)
      assert.equal(made.length, to, `${from} to ${to} is a second long`)
      const off = error(made, samplesOf(tone(1_000, to, 1)))
      assert.ok(off < 0.005, `${from} to ${to} is off by ${off}`)
    }
})

test('what a lower rate cannot hold is left out and does not come back as another sound', () => {
  const made = resampled(tone(11_000, 24_000, 1), 24_000, 16_000)
  const loudest = made.subarray(200, -200).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
  assert.ok(loudest < 200, `11 kHz at 16000 is heard at ${loudest}`)
})
