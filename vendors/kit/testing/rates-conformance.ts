import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { vendorIn, type StageChoice } from '../src/installed.ts'
import { classFor, classNamed } from '../src/manifest.ts'
import type { LiveAudio } from '../src/vendor.ts'
import { startWireFake, type Seen, type Wire } from './wire-fake.ts'

/** What calls and clients of the voice server sound at. */
const usualRates = [8_000, 16_000, 24_000, 48_000]
const furtherRates = [11_025, 22_050, 32_000, 44_100]
const toneHz = 400
const seconds = 1
const pieceMs = 100

/** What reached the vendor: the rate that it was told, and the samples. */
export class SoundAtVendor {
  rate = 0
  readonly #pieces: Uint8Array[] = []

  add(pcm: Uint8Array) {
    this.#pieces.push(pcm)
  }

  get samples(): Int16Array {
    const pcm = new Uint8Array(Buffer.concat(this.#pieces))
    return new Int16Array(pcm.buffer, 0, Math.floor(pcm.length / 2))
  }
}

interface Told {
  choice?: Omit<StageChoice, 'credentials' | 'options'>
  /** A vendor that takes all audio, writes down what it hears, and ends when it is asked to. */
  wire: (sound: SoundAtVendor) => Wire
  /** How much longer than the call the vendor may hear: silence that fills the last piece up. */
  mostFilledMs?: number
}

/** The vendor is always told a rate that its manifest lists, and hears the call at that rate. */
export function ratesConformance(folder: string, { choice, wire, mostFilledMs = 0 }: Told) {
  const vendor = vendorIn(folder)
  const manifest = vendor?.manifest?.stages.stt
  assert.ok(vendor && manifest, `${folder} does no stt`)
  const model = choice?.model ?? manifest.model
  const listed = classNamed(manifest, classFor(manifest, model, choice?.builds))?.sample_rates

  describe(`${vendor.name}/${model} hears every usual rate`, () => {
    for (const rate of usualRates)
      test(`a call at ${rate} Hz is heard at a rate that the vendor takes`, async (t) => {
        const sound = new SoundAtVendor()
        const fake = await startWireFake(wire(sound))
        t.after(() => fake.stop())
        const credentials = { api_key: 'key-of-a-test' }
        const transcriber = await vendor.transcriber({
          ...choice,
          options: { base_url: fake.url },
          credentials,
        })
        const heard = transcriber.listen?.(tone(rate), rate, AbortSignal.timeout(15_000))
        assert.ok(heard, 'it listens live')
        await Array.fromAsync(heard)
        assert.ok(listed?.includes(sound.rate) ?? sound.rate === rate, `${sound.rate} Hz is not listed`)
        assertTone(sound, mostFilledMs)
      })
  })
}

/** A voice is always asked for a rate that its manifest lists, and says that it speaks at this rate. */
export function spokenRatesConformance(
  folder: string,
  { wire, rateIn }: { wire: Wire; rateIn: (seen: Seen) => number },
) {
  const vendor = vendorIn(folder)
  const manifest = vendor?.manifest?.stages.tts
  assert.ok(vendor && manifest, `${folder} does no tts`)
  const listed = classNamed(manifest, manifest.default)?.sample_rates ?? []

  for (const rate of [...usualRates, ...furtherRates])
    test(`${vendor.name} speaks at a rate that it gives if ${rate} Hz are wanted`, async (t) => {
      const fake = await startWireFake(wire)
      t.after(() => fake.stop())
      const voice = await vendor.voice({
        knobs: { sample_rate: rate },
        options: { base_url: fake.url },
        credentials: { api_key: 'key-of-a-test' },
      })
      assert.ok(listed.includes(voice.sampleRate), `${voice.sampleRate} Hz is not listed`)
      if (listed.includes(rate)) assert.equal(voice.sampleRate, rate)
      await Array.fromAsync(voice.speak('hello', AbortSignal.timeout(5_000)))
      assert.deepEqual(fake.seen.map(rateIn), [voice.sampleRate])
    })
}

async function* tone(rate: number): AsyncIterable<LiveAudio> {
  const samples = Int16Array.from({ length: rate * seconds }, (_, at) =>
    Math.round(10_000 * Math.sin((2 * Math.PI * toneHz * at) / rate)),
  )
  const pcm = new Uint8Array(samples.buffer)
  const bytes = (2 * rate * pieceMs) / 1_000
  for (let at = 0; at < pcm.length; at += bytes) yield pcm.subarray(at, at + bytes)
}

/** Sound that is labelled with the wrong rate has another pitch and another length. */
function assertTone({ rate, samples }: SoundAtVendor, mostFilledMs: number) {
  const lengthMs = (samples.length / rate) * 1_000
  const wholeMs = seconds * 1_000
  assert.ok(
    lengthMs >= wholeMs - 1 && lengthMs <= wholeMs + mostFilledMs + 1,
    `${lengthMs} ms were heard of ${wholeMs}`,
  )
  let waves = 0
  for (let at = 1; at < samples.length; at += 1)
    // within its length
    if ((samples[at - 1] as number) < 0 && (samples[at] as number) >= 0) waves += 1
  assert.ok(Math.abs(waves - toneHz * seconds) <= 2, `${waves} waves were heard of ${toneHz * seconds}`)
}
