import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listeningAt, rateAmong, withRateGiven } from './sample-rates.ts'
import type { LiveAudio } from './vendor.ts'

const rates = [8_000, 16_000, 32_000]

test('the rate is the one that is wanted, else the next higher one, else the highest', () => {
  const chosen = [8_000, 11_025, 24_000, 48_000].map((wanted) => rateAmong(rates, wanted))
  assert.deepEqual(chosen, [8_000, 16_000, 32_000, 32_000])
  assert.equal(rateAmong(undefined, 24_000), 24_000)
})

test('a voice is asked for a rate that its vendor gives, whatever names it', () => {
  const voice = { takes: ['rate'], knobs: { sample_rate: 'rate' }, streams: true }
  const limited = { ...voice, sample_rates: rates }
  assert.deepEqual(withRateGiven(limited, { rate: 24_000 }), { rate: 32_000 })
  assert.deepEqual(withRateGiven(limited, { rate: '8000' }), { rate: 8_000 })
  assert.deepEqual(withRateGiven(voice, { rate: 24_000 }), { rate: 24_000 })
  assert.deepEqual(withRateGiven(limited, {}), {})
  assert.deepEqual(withRateGiven({ ...limited, knobs: {} }, { rate: 24_000 }), { rate: 24_000 })
})

/** What an adapter gets of these pieces of a call. */
async function heardOf(pieces: LiveAudio[], sampleRate: number) {
  const heard: LiveAudio[] = []
  let rate = 0
  const transcriber = listeningAt(rates, {
    async *listen(audio, told) {
      rate = told
      for await (const piece of audio) heard.push(piece)
      yield { type: 'ready' }
    },
  })
  async function* call(): AsyncIterable<LiveAudio> {
    yield* pieces
  }
  for await (const _ of transcriber.listen?.(call(), sampleRate, AbortSignal.timeout(5_000)) ?? []);
  const bytes = heard.reduce((sum, piece) => sum + (piece === 'finalize' ? 0 : piece.length), 0)
  return { rate, heard, bytes }
}

test('audio at a rate that the vendor takes reaches the adapter as it is', async () => {
  const piece = new Uint8Array(321)
  const { rate, heard } = await heardOf([piece, 'finalize'], 16_000)
  assert.equal(rate, 16_000)
  assert.equal(heard[0], piece)
  assert.deepEqual(heard.slice(1), ['finalize'])
})

test('audio at another rate is resampled whole, in pieces of any length, and a finalize keeps its place', async () => {
  const { rate, heard, bytes } = await heardOf(
    [new Uint8Array(4_801), 'finalize', new Uint8Array(4_799)],
    24_000,
  )
  assert.equal(rate, 32_000)
  assert.equal(bytes, 12_800)
  assert.equal(heard.indexOf('finalize'), 1)
  for (const piece of heard) if (piece !== 'finalize') assert.equal(piece.length % 2, 0)
})
