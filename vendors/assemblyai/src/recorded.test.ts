import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { transcriberAt } from '@switchroom/kit/testing/transcriber-at'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'

test('a recording it cannot read is refused in its words (SD-26)', async (t) => {
  const fake = await startWireFake({
    refusal: (error) => ({ error }),
    http: ({ url }, answer) =>
      answer.json(
        url.pathname === '/v2/upload'
          ? { upload_url: 'https://cdn.assemblyai.com/upload/a' }
          : { id: 'a', status: 'error', error: 'File does not appear to contain audio.' },
      ),
  })
  t.after(() => fake.stop())
  const transcriber = await transcriberAt(join(import.meta.dirname, '..'), fake)
  const recording = { bytes: new Uint8Array(8), mediaType: 'audio/wav' }
  await assert.rejects(transcriber.transcribe(recording, AbortSignal.timeout(10_000)), {
    kind: 'refused',
    message: 'File does not appear to contain audio.',
  })
})
