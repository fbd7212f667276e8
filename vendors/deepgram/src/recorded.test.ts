import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { vendorIn } from '@switchroom/kit/installed'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'

async function transcribed(answered: object, knobs: Record<string, unknown> = {}) {
  const fake = await startWireFake({
    refusal: () => ({}),
    http: (_request, answer) => answer.json(answered),
  })
  try {
    const choice = { knobs, options: { base_url: fake.url }, credentials: { api_key: 'key-of-a-test' } }
    const transcriber = await vendorIn(join(import.meta.dirname, '..'))?.transcriber(choice)
    const recording = { bytes: new Uint8Array(100), mediaType: 'audio/ogg' }
    const transcript = await transcriber?.transcribe?.(recording, AbortSignal.timeout(5_000))
    return { transcript, query: fake.seen[0]?.url.searchParams }
  } finally {
    await fake.stop()
  }
}

test('a language that was given is not detected, and is returned in two letters (SD-75)', async () => {
  const silence = { results: { channels: [{ alternatives: [{ transcript: '', words: [] }] }] } }
  const { transcript, query } = await transcribed(silence, { language: 'pt-BR' })
  assert.deepEqual([query?.get('language'), query?.get('detect_language')], ['pt-BR', null])
  assert.deepEqual(transcript, { text: '', language: 'pt', duration: null, words: [], segments: [] })
})

test('an answer without a transcript is none (SD-26)', async () => {
  await assert.rejects(transcribed({ results: {} }), { kind: 'silent', message: 'it sent no transcript' })
})
