import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { transcriberAt } from '@switchroom/kit/testing/transcriber-at'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { speechmaticsWire } from '../testing/wire.ts'

const folder = join(import.meta.dirname, '..')
const recording = { bytes: new Uint8Array(8), mediaType: 'audio/wav' }

test('a job that is rejected is a refusal in its words, and is deleted (SD-26)', async (t) => {
  const fake = await startWireFake({
    refusal: (detail) => ({ detail }),
    http({ method }, answer) {
      if (method === 'POST') return answer.json({ id: 'a/job' })
      const errors = [{ timestamp: '', message: 'no speech in it' }]
      return answer.json({ job: { id: 'a/job', status: 'rejected', errors } })
    },
  })
  t.after(() => fake.stop())
  const transcriber = await transcriberAt(folder, fake)
  const rejected = transcriber.transcribe(recording, AbortSignal.timeout(10_000))
  await assert.rejects(rejected, { kind: 'refused', message: 'no speech in it' })
  const { method, url } = fake.seen.at(-1) ?? assert.fail('nothing was asked')
  assert.equal(`${method} ${url.pathname}${url.search}`, 'DELETE /v2/jobs/a%2Fjob?force=true')
})

test('a transcript is read in the language that was set, and the job is deleted after it', async (t) => {
  const wire = speechmaticsWire()
  const fake = await startWireFake(wire)
  t.after(() => fake.stop())
  const transcriber = await transcriberAt(folder, fake, { knobs: { language: 'es-MX' } })
  await transcriber.transcribe(recording, AbortSignal.timeout(10_000))
  assert.deepEqual(wire.jobs[0]?.config, {
    type: 'transcription',
    transcription_config: { model: 'enhanced', language: 'es' },
  })
  assert.equal(fake.seen.at(-1)?.method, 'DELETE')
})

test('a model of many languages takes the language as a hint', async (t) => {
  const wire = speechmaticsWire()
  const fake = await startWireFake(wire)
  t.after(() => fake.stop())
  const transcriber = await transcriberAt(folder, fake, { model: 'melia-1', knobs: { language: 'ar-EG' } })
  await transcriber.transcribe(recording, AbortSignal.timeout(10_000))
  assert.deepEqual(wire.jobs[0]?.config, {
    type: 'transcription',
    transcription_config: { model: 'melia-1', language: 'multi', language_hints: ['ar'] },
  })
})
