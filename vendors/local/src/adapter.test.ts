import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { vendorIn } from '@switchroom/kit/installed'
import { patient, programsUnder } from '../testing/speech.ts'

const vendor = vendorIn(fileURLToPath(new URL('..', import.meta.url)))

test('local is a vendor that speaks, hears and thinks without a key (SD-46, SD-80)', async () => {
  assert.ok(vendor?.manifest)
  assert.equal(vendor.name, 'local')
  assert.deepEqual(vendor.does, ['tts', 'stt', 'llm'])
  assert.equal(vendor.needsKey, false)
  assert.equal(await vendor.whyBroken(), null)
})

test('it is warm once its voice and its speech-to-text run beside the host', async () => {
  await vendor?.warm(AbortSignal.timeout(180_000))
  for (const program of ['local-voice', 'hearing'])
    assert.equal((await programsUnder(process.pid, program)).length, 1)
})

test('its models are built as the platform builds them, from knobs', async () => {
  assert.ok(vendor)
  const choice = { credentials: {}, knobs: { voice: 'en-gb', speed: 2, language: 'en' } }
  const spoken = await Array.fromAsync((await vendor.voice(choice)).speak('Hello', patient()))
  assert.ok(spoken.some((piece) => piece.type === 'audio'))
  const thinking = (await vendor.model({ credentials: {}, model: 'demonstration' })).think(
    { messages: [{ role: 'user', text: 'Hello' }] },
    patient(),
  )
  assert.ok((await Array.fromAsync(thinking)).length > 0)
  assert.ok((await vendor.voices({ credentials: {} }, patient())).length > 100)
})
