import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BatchClient, SpeechmaticsResponseError } from '@speechmatics/batch-client'
import { RealtimeClient, type RealtimeServerMessage } from '@speechmatics/real-time-client'
import { recording } from '@switchroom/kit/testing/recordings'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { speechmaticsWire } from '../testing/wire.ts'

// The vendor's own clients are the referee of the wire that the adapter is tested against.

const file = () => ({ data: new Blob([recording('fox.wav')], { type: 'audio/wav' }), fileName: 'fox.wav' })

test('the realtime client of the vendor transcribes on the fake as its users do', async (t) => {
  const fake = await startWireFake(speechmaticsWire())
  t.after(() => fake.stop())
  const client = new RealtimeClient({ url: `${fake.url.replace('http', 'ws')}/v2` })
  const heard: RealtimeServerMessage[] = []
  const wakes = new Map<string, () => void>()
  const received = (message: string) => new Promise<void>((resolve) => wakes.set(message, resolve))
  client.addEventListener('receiveMessage', ({ data }) => {
    heard.push(data)
    wakes.get(data.message)?.()
  })

  const { id } = await client.start('a-key', {
    audio_format: { type: 'raw', encoding: 'pcm_s16le', sample_rate: 16_000 },
    transcription_config: { language: 'en', model: 'enhanced', enable_partials: true },
  })
  assert.equal(id, 'a-session')
  const added = received('AudioAdded')
  client.sendAudio(new Uint8Array(640))
  await added
  const ended = received('EndOfUtterance')
  client.forceEndOfUtterance()
  await ended
  await client.stopRecognition()

  const said = heard.flatMap((message) =>
    message.message === 'AddTranscript'
      ? message.results.map((result) => String(result.alternatives?.[0]?.content))
      : [],
  )
  assert.deepEqual(said, ['Hello', 'there', '.', 'Bye', '.'])
})

test('the realtime client of the vendor reads the refusal of the fake', async (t) => {
  const fake = await startWireFake(speechmaticsWire())
  t.after(() => fake.stop())
  fake.mode = 'refuse'
  const client = new RealtimeClient({ url: `${fake.url.replace('http', 'ws')}/v2` })
  const starting = client.start('a-key', { transcription_config: { language: 'en' } })
  await assert.rejects(starting, { message: 'not_authorised' })
})

test('the batch client of the vendor transcribes a recording on the fake as its users do', async (t) => {
  const wire = speechmaticsWire()
  const fake = await startWireFake(wire)
  t.after(() => fake.stop())
  const client = new BatchClient({ apiKey: 'a-key', apiUrl: `${fake.url}/v2`, appId: 'a-test' })
  const { id } = await client.createTranscriptionJob(file(), {
    transcription_config: { language: 'en', diarization: 'speaker' },
  })
  assert.equal((await client.getJob(id)).job.status, 'running')
  assert.equal((await client.getJob(id)).job.status, 'done')
  const { results, job } = await client.getJobResult(id)
  assert.deepEqual(
    results.map(({ alternatives }) => alternatives?.[0]?.content),
    ['Hello', 'there', '.', 'How', 'are', 'you', '?'],
  )
  assert.equal(job.duration, 3)
  assert.equal((await client.deleteJob(id, true)).job.status, 'deleted')
})

test('the batch client of the vendor reads the refusal of the fake', async (t) => {
  const fake = await startWireFake(speechmaticsWire())
  t.after(() => fake.stop())
  fake.mode = 'refuse'
  fake.words = 'the language is not known'
  const client = new BatchClient({ apiKey: 'a-key', apiUrl: `${fake.url}/v2`, appId: 'a-test' })
  const refused = client.createTranscriptionJob(file(), { transcription_config: { language: 'xx' } })
  await assert.rejects(refused, (error) => {
    assert.ok(error instanceof SpeechmaticsResponseError)
    assert.equal(error.response.detail, 'the language is not known')
    return true
  })
})
