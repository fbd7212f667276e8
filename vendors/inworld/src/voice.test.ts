import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { vendorIn } from '@switchroom/kit/installed'
import { startWireFake, type Wire } from '@switchroom/kit/testing/wire-fake'
import type { Spoken } from '@switchroom/kit/vendor'
import { inworldWire } from '../testing/wire.ts'
import adapter from './adapter.ts'

interface Asked {
  model?: string
  knobs?: Record<string, unknown>
  options?: Record<string, unknown>
}

async function spoken(wire: Wire, text: string, { options, ...choice }: Asked = {}): Promise<Spoken[]> {
  const fake = await startWireFake(wire)
  try {
    const settled = {
      ...choice,
      options: { ...options, base_url: fake.url },
      credentials: { api_key: 'key-of-a-test' },
    }
    const voice = await vendorIn(join(import.meta.dirname, '..'))?.voice(settled)
    assert.ok(voice)
    return await Array.fromAsync(voice.speak(text, AbortSignal.timeout(10_000)))
  } finally {
    await fake.stop()
  }
}

test('the model, voice, language, speed and rate are those that were asked for', async () => {
  const wire = inworldWire()
  await spoken(wire, 'Oi', {
    model: 'inworld-tts-1.5-max',
    knobs: { voice: 'Maitê', language: 'pt-BR', speed: 1.1, sample_rate: 8_000 },
    options: { temperature: 0.8, apply_text_normalization: 'ON' },
  })
  assert.deepEqual(wire.spoken[0], {
    text: 'Oi',
    voiceId: 'Maitê',
    modelId: 'inworld-tts-1.5-max',
    audioConfig: { audioEncoding: 'PCM', sampleRateHertz: 8_000, speakingRate: 1.1 },
    language: 'pt-BR',
    temperature: 0.8,
    applyTextNormalization: 'ON',
    timestampType: 'WORD',
  })
})

test('without a choice its newest model speaks with its first voice', async () => {
  const wire = inworldWire()
  await spoken(wire, 'Hi', { options: { delivery_mode: 'STABLE' } })
  assert.deepEqual(wire.spoken[0], {
    text: 'Hi',
    voiceId: 'Dennis',
    modelId: 'inworld-tts-2',
    audioConfig: { audioEncoding: 'PCM', sampleRateHertz: 24_000 },
    deliveryMode: 'STABLE',
    timestampType: 'WORD',
  })
})

test('a text longer than it takes is said in pieces, and the times of the words continue (S-291)', async () => {
  const text = 'A sentence of some length, said again. '.repeat(60).trim()
  const texts: string[] = []
  const audioContent = Buffer.alloc(48_000, 7).toString('base64')
  const said = await spoken(
    {
      refusal: () => ({}),
      async http({ body }, answer) {
        const asked = (JSON.parse(body.toString()) as { text: string }).text
        const words = asked.split(' ')
        const [wordStartTimeSeconds, wordEndTimeSeconds] = [words.map(() => 0.1), words.map(() => 0.2)]
        const timestampInfo = { wordAlignment: { words, wordStartTimeSeconds, wordEndTimeSeconds } }
        texts.push(asked)
        await answer.json({ result: { audioContent, timestampInfo } })
      },
    },
    text,
  )
  assert.deepEqual([texts.length, texts.join(' ')], [2, text])
  const words = said.flatMap((one) => (one.type === 'word' ? [one] : []))
  assert.equal(words.map(({ word }) => word).join(' '), text)
  assert.deepEqual([words[0]?.start, words[texts[0]?.split(' ').length ?? 0]?.start], [0.1, 1.1])
})

test('pieces that each begin like a file are sound without their beginnings', async () => {
  const header = Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(40)])
  const audioContent = Buffer.concat([header, Buffer.alloc(100, 7)]).toString('base64')
  const said = await spoken(
    {
      refusal: () => ({}),
      async http(_, answer) {
        answer.start({ 'content-type': 'application/json' })
        for (let at = 0; at < 2; at += 1)
          await answer.piece(`${JSON.stringify({ result: { audioContent } })}\n`)
        answer.end()
      },
    },
    'Hi',
  )
  assert.deepEqual(
    said.map((one) => (one.type === 'audio' ? one.pcm.length : one)),
    [100, 100],
  )
})

test('an error in the middle of a stream is a refusal or none, as it says (SD-26)', async () => {
  const failing = (code: number) =>
    spoken(
      {
        refusal: () => ({}),
        async http(_, answer) {
          answer.start({ 'content-type': 'application/json' })
          await answer.piece(`${JSON.stringify({ error: { code, message: 'in its words', details: [] } })}\n`)
          answer.end()
        },
      },
      'Hi',
    )
  await assert.rejects(failing(3), { kind: 'refused', message: 'in its words' })
  await assert.rejects(failing(13), { kind: 'silent', message: 'in its words' })
})

test('a rate that it does not speak at is refused with those that it does', () => {
  const setting = { class: 'TTS', keywords: { sample_rate: 11_025 }, credentials: { api_key: 'a' } }
  assert.throws(() => adapter.voice(setting), {
    kind: 'refused',
    message: 'inworld speaks at 8000, 16000, 22050, 24000, 32000, 44100, 48000 Hz, not at 11025',
  })
})
