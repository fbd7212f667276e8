import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as sdk from 'microsoft-cognitiveservices-speech-sdk'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { azureWire } from '../testing/wire.ts'

// The vendor's own client is the referee of the wire that the adapter is tested against.

interface Told {
  partials: string[]
  finals: string[]
  canceled: sdk.CancellationErrorCode | undefined
  details: string | undefined
}

/** Everything that the client tells of one stream, until it stops. */
async function recognized(host: string, language: string, rate = 16_000): Promise<Told> {
  const config = sdk.SpeechConfig.fromHost(new URL(host.replace('http', 'ws')), 'a-key')
  config.speechRecognitionLanguage = language
  config.outputFormat = sdk.OutputFormat.Detailed
  config.requestWordLevelTimestamps()
  const sound = sdk.AudioInputStream.createPushStream(sdk.AudioStreamFormat.getWaveFormatPCM(rate, 16, 1))
  const recognizer = new sdk.SpeechRecognizer(config, sdk.AudioConfig.fromStreamInput(sound))
  sdk.PhraseListGrammar.fromRecognizer(recognizer).addPhrase('Switchroom')
  const told: Told = { partials: [], finals: [], canceled: undefined, details: undefined }
  const stopped = Promise.withResolvers<void>()
  recognizer.recognizing = (_, { result }) => void told.partials.push(result.text)
  recognizer.recognized = (_, { result }) => void told.finals.push(result.text)
  recognizer.sessionStopped = () => stopped.resolve()
  recognizer.canceled = (_, { errorCode, errorDetails }) => {
    told.canceled = errorCode
    told.details = errorDetails
    stopped.resolve()
  }
  await new Promise<void>((begun, failed) => recognizer.startContinuousRecognitionAsync(begun, failed))
  sound.write(new ArrayBuffer(6_400))
  sound.close()
  await stopped.promise
  await new Promise<void>((closed) => recognizer.close(closed, () => closed()))
  return told
}

test('the client of the vendor recognizes a stream on the fake as its users do', async (t) => {
  const wire = azureWire()
  const fake = await startWireFake(wire)
  t.after(() => fake.stop())
  const { partials, finals, canceled } = await recognized(fake.url, 'en-US')
  assert.deepEqual([partials, finals], [['hello there'], ['Hello there.']])
  assert.equal(canceled, sdk.CancellationErrorCode.NoError)
  assert.deepEqual(wire.sounds, [{ rate: 16_000, bytes: 6_400 }])
  const [context] = wire.contexts
  assert.deepEqual(context?.['phraseOutput'], { format: 'Detailed', detailed: { options: ['WordTimings'] } })
  assert.deepEqual(context?.['dgi'], {
    groups: [{ type: 'Generic', items: [{ text: 'Switchroom' }] }],
    bias: 1,
  })
})

test('the client of the vendor tells speakers apart on the fake', async (t) => {
  const wire = azureWire()
  const fake = await startWireFake(wire)
  t.after(() => fake.stop())
  const config = sdk.SpeechConfig.fromHost(new URL(fake.url.replace('http', 'ws')), 'a-key')
  config.speechRecognitionLanguage = 'en-US'
  const sound = sdk.AudioInputStream.createPushStream(sdk.AudioStreamFormat.getWaveFormatPCM(16_000, 16, 1))
  const transcriber = new sdk.ConversationTranscriber(config, sdk.AudioConfig.fromStreamInput(sound))
  const said: [string, string][] = []
  const stopped = Promise.withResolvers<void>()
  transcriber.transcribed = (_, { result }) => void said.push([result.text, result.speakerId])
  transcriber.sessionStopped = () => stopped.resolve()
  transcriber.canceled = () => stopped.resolve()
  await new Promise<void>((begun, failed) => transcriber.startTranscribingAsync(begun, failed))
  sound.write(new ArrayBuffer(6_400))
  sound.close()
  await stopped.promise
  await new Promise<void>((closed) => transcriber.close(closed, () => closed()))
  assert.deepEqual(said, [['Hello there.', 'Guest-1']])
  assert.match(JSON.stringify(wire.contexts[0]), /"speakerDiarization":{"mode":"Anonymous"/)
})

test('the client of the vendor reads the refusal of the fake', async (t) => {
  const fake = await startWireFake(azureWire())
  t.after(() => fake.stop())
  const { canceled, details } = await recognized(fake.url, 'klingon')
  assert.equal(canceled, sdk.CancellationErrorCode.BadRequestParameters)
  assert.match(String(details), /no language klingon websocket error code: 1007/)
})

test('the client of the vendor lists the voices of the fake', async (t) => {
  const fake = await startWireFake(azureWire())
  t.after(() => fake.stop())
  const config = sdk.SpeechConfig.fromHost(new URL(fake.url), 'a-key')
  // null: the sound goes nowhere
  const synthesizer = new sdk.SpeechSynthesizer(config, null)
  const { voices } = await synthesizer.getVoicesAsync('')
  assert.deepEqual(
    voices.map(({ shortName, locale, gender }) => [shortName, locale, gender]),
    [
      ['en-US-AvaMultilingualNeural', 'en-US', sdk.SynthesisVoiceGender.Female],
      ['pt-BR-AntonioNeural', 'pt-BR', sdk.SynthesisVoiceGender.Male],
      ['en-US-Gone', 'en-US', sdk.SynthesisVoiceGender.Male],
    ],
  )
  await new Promise<void>((closed) => synthesizer.close(closed, () => closed()))
})
