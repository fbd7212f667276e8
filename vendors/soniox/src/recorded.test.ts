import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { transcriberAt } from '@switchroom/kit/testing/transcriber-at'
import { startWireFake, type Wire, type WireFake } from '@switchroom/kit/testing/wire-fake'

/** A vendor that takes a recording and then says this of it, every time it is asked. */
const wireSaying = (job: object): Wire => ({
  refusal: (message) => ({ message }),
  async http({ method, url }, answer) {
    if (method === 'DELETE') {
      answer.start({})
      answer.end()
    } else await answer.json(method === 'POST' ? { id: url.pathname.slice(4) } : job)
  },
})

const deleted = (fake: WireFake) =>
  fake.seen.filter(({ method }) => method === 'DELETE').map(({ url }) => url.pathname)

async function transcribe(fake: WireFake, signal: AbortSignal) {
  const transcriber = await transcriberAt(join(import.meta.dirname, '..'), fake)
  return transcriber.transcribe({ bytes: new Uint8Array(8), mediaType: 'audio/wav' }, signal)
}

const everything = ['/v1/transcriptions/transcriptions', '/v1/files/files']

test('a recording it cannot read is refused in its words, and nothing of it stays there', async (t) => {
  const fake = await startWireFake(wireSaying({ status: 'error', error_message: 'Audio is empty.' }))
  t.after(() => fake.stop())
  const failing = transcribe(fake, AbortSignal.timeout(10_000))
  await assert.rejects(failing, { kind: 'refused', message: 'Audio is empty.' })
  assert.deepEqual(deleted(fake), everything)
})

test('nothing stays there after a cancel', async (t) => {
  const fake = await startWireFake(wireSaying({ status: 'processing' }))
  t.after(() => fake.stop())
  const cancel = new AbortController()
  const failing = transcribe(fake, cancel.signal)
  while (!fake.seen.some(({ method }) => method === 'GET')) await sleep(2)
  cancel.abort()
  await assert.rejects(failing, { name: 'AbortError' })
  const patience = Date.now() + 5_000
  while (deleted(fake).length < 2 && Date.now() < patience) await sleep(2)
  assert.deepEqual(deleted(fake), everything)
})
