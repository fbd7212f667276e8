import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SpeechClient } from '@switchroom/sdk/speech'
import type { SpeechAudio } from '@switchroom/sdk/speech-audio'
import { startVoiceDeployment } from '../testing/voice-deployment.ts'

const voice = await startVoiceDeployment()
after(() => voice[Symbol.asyncDispose]())

const sentence = 'please tell me what time the station opens in the morning'

async function client(): Promise<SpeechClient> {
  const { key = '' } = await voice.caller()
  return new SpeechClient({ url: voice.url, key })
}

function assertUnderstood(text: string, how: string) {
  const understood = new Set(text.toLowerCase().match(/[a-z]+/g))
  const words = sentence.split(' ')
  const kept = words.filter((word) => understood.has(word))
  assert.ok(kept.length >= 0.8 * words.length, `${how}: of "${sentence}" came "${text}"`)
}

test('on a fresh machine a text becomes speech and the speech the text again, in every form (S-013, S-015, S-299, SD-79, SD-80)', async () => {
  const speech = await client()
  const voices = await speech.voices({ provider: 'local', language: 'en' })
  const named = voices.find(({ alias }) => alias !== undefined)
  assert.ok(named)
  for (const response_format of ['wav', 'mp3'] as const)
    for (const sample_rate of [16_000, 24_000] as const) {
      const asked = { input: sentence, voice: `local/${named.alias}`, response_format, sample_rate }
      const audio: SpeechAudio = await speech.speech(asked)
      const file = await audio.bytes()
      assert.equal(audio.characters, sentence.length)
      const heard = await speech.transcribe({ file, model: 'local', language: 'en' })
      assertUnderstood(heard.text, `${response_format} at ${sample_rate}`)
      assert.ok(heard.duration > 2 && heard.duration < 6, `it lasts ${heard.duration} s`)
    }
})

test('speech that is streamed as it is made is understood live (S-016, SD-79, SD-80)', async () => {
  const speech = await client()
  const stream = await speech.stream({ model: 'local', language: 'en', sample_rate: 24_000 })
  const audio = await speech.speech({ input: sentence, voice: 'local/en-us', sample_rate: 24_000 })
  for await (const piece of audio) await stream.send(piece)
  const { audio_seconds } = await stream.stop()
  assert.ok(Math.abs(audio_seconds * 1_000 - audio.audioMs) <= 1, `${audio_seconds} s of ${audio.audioMs} ms`)
  let text = ''
  for await (const frame of stream) if (frame.type === 'final') text += ` ${frame.text}`
  assertUnderstood(text, 'live')
})
