import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { vendorIn } from '@switchroom/kit/installed'
import { conformance, listingVoices, speaking } from '@switchroom/kit/testing/conformance'
import { spokenRatesConformance } from '@switchroom/kit/testing/rates-conformance'
import { startWireFake, type Wire } from '@switchroom/kit/testing/wire-fake'
import { cartesiaWire, chunk, event } from '../testing/wire.ts'

const folder = join(import.meta.dirname, '..')

const wire: Wire = {
  ...cartesiaWire,
  http(seen, answer) {
    assert.match(seen.headers.authorization ?? '', /^Bearer mark-of-api_key/)
    if (seen.url.pathname === '/voices') assert.equal(seen.url.searchParams.get('limit'), '100')
    else
      assert.deepEqual(JSON.parse(seen.body.toString()), {
        model_id: 'sonic-3',
        voice: { id: 'voice-1' },
        language: 'pt',
        output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 },
        generation_config: { speed: 1.2 },
        add_timestamps: true,
        transcript: 'Hello, there you are!',
      })
    return cartesiaWire.http?.(seen, answer)
  },
}

conformance(folder, wire, [
  speaking('says a line', 'Hello, there you are!', {
    choice: { knobs: { voice: 'voice-1', language: 'pt-BR', speed: 1.2 } },
    hasWords: true,
  }),
  listingVoices('lists its voices', {
    expect(voices) {
      const said = { description: 'Warm and calm', gender: 'female', accent: 'british' }
      const unknown = { language: null, description: null, gender: null, country: null, accent: null }
      assert.deepEqual(voices, [
        { id: 'v1', name: 'Voice v1', language: 'en-GB', country: 'GB', ...said },
        { id: 'v2', name: 'Voice v2', language: null, country: null, ...said },
        { id: 'v3', name: 'v3', ...unknown },
      ])
    },
  }),
])

async function spoken(events: readonly { type: string }[]) {
  const fake = await startWireFake({
    refusal: () => ({}),
    async http(_seen, answer) {
      answer.start({ 'content-type': 'text/event-stream' })
      for (const said of events) await answer.piece(event(said))
      answer.end()
    },
  })
  try {
    const choice = { options: { base_url: `${fake.url}/` }, credentials: { api_key: 'key-of-a-test' } }
    const speaker = await vendorIn(folder)?.voice(choice)
    assert.ok(speaker)
    return await Array.fromAsync(speaker.speak('hello', AbortSignal.timeout(5_000)))
  } finally {
    await fake.stop()
  }
}

test('a voice that stops in the middle without a word is no answer (SD-26)', async () => {
  await assert.rejects(spoken([chunk(480)]), { kind: 'silent', message: /broke off/ })
})

test('what it finds wrong while it speaks is a refusal, and its own trouble is none (SD-26)', async () => {
  const error = (status_code: number) => ({
    type: 'error',
    done: true,
    status_code,
    error_code: null,
    title: 'Failed',
    message: 'in its words',
    request_id: 'fake',
  })
  await assert.rejects(spoken([chunk(480), error(402)]), { kind: 'refused', message: 'in its words' })
  await assert.rejects(spoken([chunk(480), error(503)]), { kind: 'silent', message: 'in its words' })
})

test('a voice that gives no times gives none', async () => {
  const pieces = await spoken([chunk(480), { type: 'done' }])
  assert.deepEqual(
    pieces.map(({ type }) => type),
    ['audio'],
  )
})

spokenRatesConformance(folder, {
  wire: cartesiaWire,
  rateIn: ({ body }) =>
    (JSON.parse(body.toString()) as { output_format: { sample_rate: number } }).output_format.sample_rate,
})
