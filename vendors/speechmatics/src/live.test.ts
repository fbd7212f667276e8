import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { vendorIn } from '@switchroom/kit/installed'
import { audioOf, transcriberAt } from '@switchroom/kit/testing/transcriber-at'
import { startWireFake, type SocketAnswer } from '@switchroom/kit/testing/wire-fake'
import type { Heard, LiveAudio } from '@switchroom/kit/vendor'
import { results, speechmaticsWire, started, transcript } from '../testing/wire.ts'

const folder = join(import.meta.dirname, '..')

interface Asked {
  model?: string
  knobs?: Record<string, unknown>
  options?: Record<string, unknown>
}

/** The settings of a session that was asked for like this. */
async function configOf({ options, ...choice }: Asked): Promise<Record<string, unknown>> {
  const wire = speechmaticsWire()
  const fake = await startWireFake(wire)
  try {
    const settled = {
      ...choice,
      options: { ...options, base_url: fake.url },
      credentials: { api_key: 'key-of-a-test' },
    }
    const transcriber = await vendorIn(folder)?.transcriber(settled)
    const heard = transcriber?.listen?.(audioOf(), 8_000, AbortSignal.timeout(10_000))
    assert.ok(heard)
    await Array.fromAsync(heard)
    return wire.started[0]?.['transcription_config'] as Record<string, unknown>
  } finally {
    await fake.stop()
  }
}

/** What is heard of a session whose socket answers its start like this. */
async function heardOf(
  answer: (socket: SocketAnswer) => void,
  options: Record<string, unknown> = {},
): Promise<Heard[]> {
  const fake = await startWireFake({
    refusal: (detail) => ({ detail }),
    socket: (socket) =>
      socket.onFrame((frame) => String(frame).includes('StartRecognition') && answer(socket)),
  })
  try {
    const choice = { options: { ...options, base_url: fake.url }, credentials: { api_key: 'key-of-a-test' } }
    const transcriber = await vendorIn(folder)?.transcriber(choice)
    const heard = transcriber?.listen?.(endless(), 16_000, AbortSignal.timeout(10_000))
    assert.ok(heard)
    return await Array.fromAsync(heard)
  } finally {
    await fake.stop()
  }
}

async function* endless(): AsyncIterable<LiveAudio> {
  yield await new Promise<LiveAudio>(() => {})
}

test('a language is asked for as the vendor names it, and English if none is set', async () => {
  for (const [language, code] of [
    [undefined, 'en'],
    ['pt-BR', 'pt'],
    ['zh-CN', 'cmn'],
    ['zh-HK', 'yue'],
    ['nb-NO', 'no'],
    ['cmn_en', 'cmn_en'],
  ])
    assert.equal((await configOf({ knobs: { language } }))['language'], code, language)
})

test('the model, speakers, delay and silence are those that were asked for', async () => {
  const config = await configOf({
    model: 'standard',
    knobs: { diarize: true },
    options: {
      max_delay: 2,
      max_delay_mode: 'fixed',
      end_of_utterance_silence_trigger: 0.8,
      domain: 'medical',
      speaker_sensitivity: 0.7,
      remove_disfluencies: true,
      volume_threshold: 3,
    },
  })
  assert.deepEqual(config, {
    model: 'standard',
    language: 'en',
    domain: 'medical',
    diarization: 'speaker',
    speaker_diarization_config: { speaker_sensitivity: 0.7 },
    transcript_filtering_config: { remove_disfluencies: true },
    audio_filtering_config: { volume_threshold: 3 },
    max_delay: 2,
    max_delay_mode: 'fixed',
    enable_partials: true,
    conversation_config: { end_of_utterance_silence_trigger: 0.8 },
  })
})

test('a word is not sure before the silence that would end its utterance', async () => {
  const delays = async (silence: number) =>
    (await configOf({ options: { end_of_utterance_silence_trigger: silence } }))['max_delay']
  assert.deepEqual([await delays(0.3), await delays(0.8), await delays(2)], [1, 1.6, 4])
})

test('a longer list of words than it takes is cut short, not refused', async () => {
  const heard = Array.from({ length: 1_200 }, (_, at) => `word${at}`)
  const { additional_vocab: words } = await configOf({ knobs: { heard } })
  assert.equal((words as unknown[]).length, 1_000)
})

test('a region that does not exist is refused before anything is sent', async () => {
  const choice = { options: { region: 'mars' }, credentials: { api_key: 'key-of-a-test' } }
  const transcriber = vendorIn(folder)?.transcriber(choice)
  await assert.rejects(async () => transcriber, {
    kind: 'refused',
    message: 'speechmatics has no region "mars": use eu or us',
  })
})

test('a model of many languages takes recordings alone', async (t) => {
  const fake = await startWireFake(speechmaticsWire())
  t.after(() => fake.stop())
  const transcriber = await transcriberAt(folder, fake, { model: 'melia-1' })
  assert.equal(transcriber.listen, undefined)
})

test('silence ends an utterance and the turn, and the next word starts another', async () => {
  const heard = await heardOf((socket) => {
    socket.send(started())
    socket.send(transcript('AddTranscript', 0, ['Yes', '.']))
    socket.send({ message: 'EndOfUtterance', metadata: { start_time: 1, end_time: 1 } })
    socket.send(transcript('AddPartialTranscript', 2, ['No']))
    socket.send({ message: 'EndOfTranscript' })
  })
  assert.deepEqual(
    heard.map((one) => ('text' in one ? `${one.type} ${one.text}` : 'state' in one ? one.state : one.type)),
    ['ready', 'started', 'partial Yes.', 'final Yes.', 'ended', 'started', 'partial No', 'ended'],
  )
})

test('without a silence that ends utterances, sure words are final as they come', async () => {
  const heard = await heardOf(
    (socket) => {
      socket.send(started())
      socket.send(transcript('AddTranscript', 0, ['One']))
      socket.send(transcript('AddTranscript', 1, ['two', '.']))
      socket.send({ message: 'EndOfTranscript' })
    },
    { end_of_utterance_silence_trigger: 0 },
  )
  assert.deepEqual(
    heard.map((one) => ('text' in one ? `${one.type} ${one.text}` : one.type)),
    ['ready', 'final One', 'final two.'],
  )
})

test('each speaker of an utterance is heard apart, and a language without spaces is written without them', async () => {
  const heard = await heardOf((socket) => {
    socket.send(started(''))
    socket.send({
      ...transcript('AddTranscript', 0, []),
      results: [...results(0, ['你', '好'], 'S1'), ...results(1, ['再', '见'], 'S2')],
    })
    socket.send({ message: 'EndOfTranscript' })
  })
  const finals = heard.flatMap((one) => (one.type === 'final' ? [[one.text, one.speaker]] : []))
  assert.deepEqual(finals, [
    ['你好', 0],
    ['再见', 1],
  ])
})

test('punctuation belongs to the word before it, if its speaker is unknown too', async () => {
  const heard = await heardOf((socket) => {
    socket.send(started())
    socket.send({
      ...transcript('AddTranscript', 0, []),
      results: [...results(0, ['Yes'], 'S1'), ...results(1, ['.'], 'UU'), ...results(2, ['No'], 'S2')],
    })
    socket.send({ message: 'EndOfTranscript' })
  })
  const finals = heard.flatMap((one) => (one.type === 'final' ? [[one.text, one.speaker]] : []))
  assert.deepEqual(finals, [
    ['Yes.', 0],
    ['No', 1],
  ])
})

test('what it finds wrong is a refusal, and its own trouble is none (SD-26)', async () => {
  const told = (type: string) =>
    heardOf((socket) => socket.send({ message: 'Error', type, reason: 'in its words' }))
  await assert.rejects(told('invalid_config'), { kind: 'refused', message: 'in its words' })
  await assert.rejects(told('job_error'), { kind: 'silent', message: 'in its words' })
  await assert.rejects(told('quota_exceeded'), { kind: 'silent', retryAfterMs: 5_000 })
})

test('a close says whether it was a refusal (SD-26)', async () => {
  const closed = (code: number, reason?: string) => heardOf((socket) => socket.close(code, reason))
  await assert.rejects(closed(4006, 'timelimit_exceeded'), { kind: 'refused', message: 'timelimit_exceeded' })
  await assert.rejects(closed(1000), { kind: 'silent', message: 'it broke off: close code 1000' })
  await assert.rejects(closed(1011, 'internal_error'), { kind: 'silent', message: 'internal_error' })
})
