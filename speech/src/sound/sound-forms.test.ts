import assert from 'node:assert/strict'
import { test } from 'node:test'
import { samplesOf } from '@switchroom/audio/pcm'
import { until } from '@switchroom/gateway/testing/until'
import { missing } from '@switchroom/tools/debian-packages'
import { decodedByFfmpeg, soundingSeconds, tonePcm } from '../../testing/decoded-sound.ts'
import { openAiSoundForms, soundForm, type SoundFormName } from './sound-forms.ts'

const rates = [16_000, 24_000] as const
const seconds = 1.37

/** In pieces of odd sizes, as they come. */
async function written(name: SoundFormName, rate: 16_000 | 24_000, pcm: Uint8Array): Promise<Buffer> {
  const form = await soundForm(name, rate)
  const parts: Uint8Array[] = []
  for (let at = 0; at < pcm.length; at += 3_778) parts.push(await form.take(pcm.subarray(at, at + 3_778)))
  parts.push(await form.end())
  form.close?.()
  return Buffer.concat(parts)
}

/** What the coder of a form adds before and behind, in samples. */
const added: Record<Exclude<SoundFormName, 'pcm'>, { codec: string; most: number }> = {
  wav: { codec: 'pcm_s16le', most: 0 },
  flac: { codec: 'flac', most: 0 },
  opus: { codec: 'opus', most: 0 },
  mp3: { codec: 'mp3', most: 4 * 576 },
  aac: { codec: 'aac', most: 3 * 1_024 },
}

for (const name of openAiSoundForms.filter((form) => form !== 'pcm'))
  test(`${name} is read by ffmpeg, and no sound of it is lost`, { skip: missing('ffmpeg') }, async () => {
    for (const rate of rates) {
      const pcm = tonePcm(rate, seconds)
      const { codec, rate: found, samples } = decodedByFfmpeg(await written(name, rate, pcm))
      assert.equal(codec, added[name].codec)
      const wanted = Math.round(seconds * found)
      assert.ok(samples.length >= wanted, `${samples.length} of ${wanted} samples at ${found}`)
      const most = (added[name].most * found) / rate
      assert.ok(samples.length <= wanted + most, `${samples.length} instead of ${wanted} samples`)
      assert.ok(soundingSeconds(samples, found) >= seconds - 0.03)
      if (name === 'wav' || name === 'flac') assert.deepEqual(samples, samplesOf(pcm))
    }
  })

test('whatever the samples are, FLAC gives them back', { skip: missing('ffmpeg') }, async () => {
  let seed = 1
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  const shapes: ((at: number) => number)[] = [
    () => 0,
    () => Math.floor(random() * 65_536) - 32_768,
    (at) => (at % 2 === 0 ? 32_767 : -32_768),
    (at) => (at % 1_000 === 500 ? -32_768 : 0),
    (at) => Math.floor(at / 8) - 1_000,
  ]
  // the shapes one after the other, each over the edges of blocks; the longest has frames with a number of two bytes
  for (const length of [1, 7, 1_600, 5 * 1_777, 13 * 16_000]) {
    const each = Math.ceil(length / shapes.length)
    const samples = Int16Array.from({ length }, (_, at) => shapes[Math.floor(at / each)]?.(at) ?? 0)
    const file = await written('flac', 16_000, Buffer.from(samples.buffer))
    assert.deepEqual(decodedByFfmpeg(file).samples, samples, `${length} samples`)
  }
})

test('a sound that is left before its end leaves no thread', async () => {
  const ports = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length
  const before = ports()
  const forms = await Promise.all([16_000, 24_000].map((rate) => soundForm('aac', rate as 16_000)))
  for (const form of forms) await form.take(tonePcm(16_000, 0.5))
  assert.ok(ports() > before)
  for (const form of forms) form.close?.()
  await until('their threads have ended', () => ports() === before)
})

test('every form gives its first bytes long before the end', async () => {
  const pcm = tonePcm(24_000, 0.1)
  for (const name of openAiSoundForms) {
    const form = await soundForm(name, 24_000)
    let pieces = 0
    let bytes = 0
    while (bytes === 0 && pieces < 10) {
      bytes += (await form.take(pcm)).length
      pieces += 1
    }
    form.close?.()
    assert.ok(bytes > 0 && pieces <= 4, `${name} after ${pieces} tenths of a second`)
  }
})
