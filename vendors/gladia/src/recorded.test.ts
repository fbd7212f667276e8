import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { transcriberAt } from '@switchroom/kit/testing/transcriber-at'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'

for (const [code, kind] of [
  [422, 'refused'],
  [503, 'silent'],
] as const)
  test(`a job that fails with ${code} is ${kind} (SD-26)`, async (t) => {
    const fake = await startWireFake({
      refusal: (message) => ({ message }),
      http: ({ url }, answer) =>
        answer.json(
          url.pathname === '/v2/upload'
            ? { audio_url: 'https://api.gladia.io/file/a' }
            : { id: 'a', status: 'error', error_code: code },
        ),
    })
    t.after(() => fake.stop())
    const transcriber = await transcriberAt(join(import.meta.dirname, '..'), fake)
    const recording = { bytes: new Uint8Array(8), mediaType: 'audio/wav' }
    const failing = transcriber.transcribe(recording, AbortSignal.timeout(10_000))
    await assert.rejects(failing, { kind, message: `it could not transcribe this: error code ${code}` })
  })
