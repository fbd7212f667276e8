import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { audioOf, transcriberAt } from '@switchroom/kit/testing/transcriber-at'
import { startWireFake, type SocketAnswer } from '@switchroom/kit/testing/wire-fake'
import type { Heard, LiveAudio } from '@switchroom/kit/vendor'

/** What is heard of a session whose socket behaves like this. */
async function heardOf(
  socket: (socket: SocketAnswer) => void,
  audio: AsyncIterable<LiveAudio> = endless(),
  scheme = 'ws',
): Promise<Heard[]> {
  const fake = await startWireFake({
    refusal: (message) => ({ message }),
    http: ({ headers }, answer) => answer.json({ id: 'a', url: `${scheme}://${headers.host}/v2/live` }),
    socket,
  })
  const transcriber = await transcriberAt(join(import.meta.dirname, '..'), fake)
  try {
    return await Array.fromAsync(transcriber.listen(audio, 16_000, AbortSignal.timeout(10_000)))
  } finally {
    await fake.stop()
  }
}

async function* endless(): AsyncIterable<LiveAudio> {
  yield await new Promise<LiveAudio>(() => {})
}

test('a session that is ended with a reason of its own is refused in its words (SD-26)', async () => {
  const closing = heardOf((socket) => socket.close(4401, 'the token ran out'))
  await assert.rejects(closing, { kind: 'refused', message: 'the token ran out' })
})

test('a message that says no is a refusal (SD-26)', async () => {
  const error = { message: 'bit depth and bytes disagree' }
  const refusing = heardOf((socket) =>
    socket.send({ type: 'audio_chunk', acknowledged: false, error, data: null }),
  )
  await assert.rejects(refusing, { kind: 'refused', message: error.message })
})

test('a socket that closes before the recording is over broke off, however well it closed (SD-26)', async () => {
  for (const code of [1000, 1011])
    await assert.rejects(
      heardOf((socket) => socket.close(code)),
      { kind: 'silent', message: /broke off/ },
    )
})

test('a socket that closes well after the recording is over has finished', async () => {
  const heard = await heardOf((socket) => socket.onFrame(() => socket.close(1000)), audioOf())
  assert.deepEqual(heard, [{ type: 'ready' }])
})

test('an address that is no socket is no answer', async () => {
  await assert.rejects(
    heardOf(() => {}, audioOf(), 'file'),
    { kind: 'silent', message: 'it named no socket' },
  )
})
