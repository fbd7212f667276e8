import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { vendorIn } from '@switchroom/kit/installed'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { azureWire } from '../testing/wire.ts'
import adapter from './adapter.ts'

const credentials = { api_key: 'key-of-a-test', region: 'westeurope' }
const names = 'xmlns="http://www.w3.org/2001/10/synthesis" xmlns:mstts="https://www.w3.org/2001/mstts"'

interface Asked {
  model?: string
  knobs?: Record<string, unknown>
  options?: Record<string, unknown>
}

/** What is asked to be said, and how. */
async function spoken(text: string, { options, ...choice }: Asked = {}) {
  const wire = azureWire()
  const fake = await startWireFake(wire)
  try {
    const settled = { ...choice, options: { ...options, base_url: fake.url }, credentials }
    const voice = await vendorIn(join(import.meta.dirname, '..'))?.voice(settled)
    assert.ok(voice)
    await Array.fromAsync(voice.speak(text, AbortSignal.timeout(10_000)))
    return { spoken: wire.spoken, sampleRate: voice.sampleRate }
  } finally {
    await fake.stop()
  }
}

const ssml = async (text: string, asked: Asked = {}) => (await spoken(text, asked)).spoken[0]?.ssml

test('a text is said as it is, whatever is written in it', async () => {
  assert.equal(
    await ssml('Tom & "Ann" <\u0007say> it’s'),
    `<speak version="1.0" ${names} xml:lang="en-US"><voice name="en-US-AvaMultilingualNeural">` +
      'Tom &amp; &quot;Ann&quot; &lt; say&gt; it’s</voice></speak>',
  )
})

test('a voice of many languages speaks the language that is set, at the speed that is set', async () => {
  assert.equal(
    await ssml('Oi', { knobs: { language: 'pt', speed: 1.2 } }),
    `<speak version="1.0" ${names} xml:lang="pt-BR"><voice name="en-US-AvaMultilingualNeural">` +
      '<prosody rate="1.2"><lang xml:lang="pt-BR">Oi</lang></prosody></voice></speak>',
  )
})

test('a voice of one language is not asked for another, and takes a style', async () => {
  assert.equal(
    await ssml('Oi', {
      knobs: { voice: 'pt-BR-AntonioNeural', language: 'en' },
      options: { style: 'calm', style_degree: 2, pitch: '+5%', volume: 'soft' },
    }),
    `<speak version="1.0" ${names} xml:lang="en-US"><voice name="pt-BR-AntonioNeural">` +
      '<mstts:express-as style="calm" styledegree="2"><prosody pitch="+5%" volume="soft">Oi</prosody>' +
      '</mstts:express-as></voice></speak>',
  )
})

test('each model speaks with its first voice', async () => {
  const said = await ssml('Hi', { model: 'neural-hd', options: { temperature: 0.7 } })
  assert.match(String(said), /<voice name="en-US-Ava:DragonHDLatestNeural" parameters="temperature=0.7">/)
})

test('the rate of the samples is the one that was asked for', async () => {
  for (const [rate, format] of [
    [8_000, 'raw-8khz-16bit-mono-pcm'],
    [24_000, 'raw-24khz-16bit-mono-pcm'],
    [48_000, 'raw-48khz-16bit-mono-pcm'],
  ] as const) {
    const { sampleRate, spoken: asked } = await spoken('Hi', { knobs: { sample_rate: rate } })
    assert.deepEqual([sampleRate, asked[0]?.format], [rate, format])
  }
})

test('a model or a rate that does not exist is refused with those that do', () => {
  const at = (keywords: Record<string, unknown>) => () =>
    adapter.voice({ class: 'TTS', keywords, credentials })
  assert.throws(at({ model: 'aura' }), {
    kind: 'refused',
    message: 'azure has no text-to-speech model "aura": use neural or neural-hd',
  })
  assert.throws(at({ sample_rate: 11_025 }), {
    kind: 'refused',
    message: 'azure speaks at 8000, 16000, 22050, 24000, 44100, 48000 Hz, not at 11025',
  })
})

test('a long text is said in pieces, none of them cut in a word (S-291)', async () => {
  const { spoken: asked } = await spoken('A sentence of some length, said again. '.repeat(200).trim())
  assert.equal(asked.length, 2)
  for (const { ssml: said } of asked) assert.match(said, /again\.<\/voice>/)
})
