import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { vendorIn } from '@switchroom/kit/installed'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { rimeWire } from '../testing/wire.ts'
import adapter from './adapter.ts'

const credentials = { api_key: 'key-of-a-test' }

interface Asked {
  model?: string
  knobs?: Record<string, unknown>
  options?: Record<string, unknown>
}

async function voiceAt(base: string, { options, ...choice }: Asked = {}) {
  const settled = { ...choice, options: { ...options, base_url: base }, credentials }
  const voice = await vendorIn(join(import.meta.dirname, '..'))?.voice(settled)
  assert.ok(voice)
  return voice
}

/** What is asked to be said, and in which form. */
async function spoken(text: string, asked: Asked = {}) {
  const wire = rimeWire()
  const fake = await startWireFake(wire)
  try {
    await Array.fromAsync((await voiceAt(fake.url, asked)).speak(text, AbortSignal.timeout(10_000)))
    return { bodies: wire.spoken, accept: fake.seen[0]?.headers.accept }
  } finally {
    await fake.stop()
  }
}

test('without a choice its flagship speaks English, as bare samples', async () => {
  const { bodies, accept } = await spoken('Hi')
  assert.deepEqual(bodies, [{ text: 'Hi', modelId: 'coda', speaker: 'astra', samplingRate: 24_000 }])
  assert.equal(accept, 'audio/L16')
})

test('a language picks a voice that speaks it, and a voice that was chosen stays', async () => {
  for (const [model, knobs, speaker, lang] of [
    ['coda', { language: 'pt-BR' }, 'isadora', 'por'],
    ['coda', { language: 'ja' }, 'sakura', 'jpn'],
    ['mistv3', { language: 'es-MX' }, 'isa', 'spa'],
    ['coda', { language: 'de', voice: 'runa' }, 'runa', 'ger'],
    ['coda', { language: 'he', voice: 'somebody' }, 'somebody', 'he'],
  ] as const) {
    const { bodies } = await spoken('Hi', { model, knobs })
    assert.deepEqual([bodies[0]?.['speaker'], bodies[0]?.['lang']], [speaker, lang])
  }
})

test('faster is faster, whatever a model calls it', async () => {
  for (const [model, pace] of [
    ['coda', { timeScaleFactor: 0.8 }],
    ['mistv3', { timeScaleFactor: 0.8 }],
    ['mistv2', { speedAlpha: 0.8 }],
  ] as const) {
    const { bodies } = await spoken('Hi', { model, knobs: { speed: 1.25, voice: 'astra' } })
    const { text: _, ...asked } = bodies[0] ?? {}
    assert.deepEqual(asked, { modelId: model, speaker: 'astra', samplingRate: 24_000, ...pace })
  }
})

test('models of the mist family take pauses in the text', async () => {
  const { bodies } = await spoken('Hi. <200> You.', {
    model: 'mistv3',
    options: { pauseBetweenBrackets: true },
  })
  assert.equal(bodies[0]?.['pauseBetweenBrackets'], true)
})

test('a text longer than it takes is said in pieces, none of them cut in a word (S-291)', async () => {
  const text = 'A sentence of some length, said again. '.repeat(60).trim()
  const { bodies } = await spoken(text)
  assert.equal(bodies.map((body) => body['text']).join(' '), text)
  for (const { text: piece } of bodies) assert.match(String(piece), /^.{1,1000}again\.$/)
})

test('its refusals are plain text, and are read (SD-26)', async (t) => {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(400, { 'content-type': 'text/plain' }).end('text is too long')
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const voice = await voiceAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const refused = Array.fromAsync(voice.speak('Hi', AbortSignal.timeout(10_000)))
  await assert.rejects(refused, { kind: 'refused', message: 'text is too long' })
})

test('the voices of another model are those of its list', async (t) => {
  const fake = await startWireFake(rimeWire())
  t.after(() => fake.stop())
  const choice = { model: 'mistv3', options: { base_url: fake.url }, credentials }
  const voices = await vendorIn(join(import.meta.dirname, '..'))?.voices(choice, AbortSignal.timeout(10_000))
  assert.deepEqual(
    voices?.map(({ id, language }) => [id, language]),
    [
      ['cove', 'en'],
      ['mari', null],
    ],
  )
})

test('a language, rate or region that it does not have is refused with those that it has', () => {
  const at = (keywords: Record<string, unknown>) => () =>
    adapter.voice({ class: 'TTS', keywords, credentials })
  assert.throws(at({ modelId: 'mistv3', lang: 'ja' }), {
    kind: 'refused',
    message: 'mistv3 of rime has no voice for "ja": choose a voice, or one of en, es, fr, de',
  })
  assert.throws(at({ modelId: 'mistv3', samplingRate: 48_000 }), {
    kind: 'refused',
    message: 'mistv3 of rime speaks at 8000, 16000, 22050, 24000, 44100 Hz, not at 48000',
  })
  assert.throws(at({ modelId: 'coda', region: 'eu' }), {
    kind: 'refused',
    message: 'rime has no region "eu": use west or east',
  })
})
