import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { vendorIn } from '@switchroom/kit/installed'
import { startWireFake, type SocketAnswer } from '@switchroom/kit/testing/wire-fake'
import type { LiveAudio } from '@switchroom/kit/vendor'

async function listening(converse: (socket: SocketAnswer) => void, audio: AsyncIterable<LiveAudio>) {
  const fake = await startWireFake({
    refusal: () => ({}),
    socket(socket) {
      converse(socket)
      socket.send({ message_type: 'session_started', session_id: 'fake', config: {} })
    },
  })
  try {
    const choice = { options: { base_url: `${fake.url}/` }, credentials: { api_key: 'key-of-a-test' } }
    const transcriber = await vendorIn(join(import.meta.dirname, '..'))?.transcriber(choice)
    const heard = transcriber?.listen?.(audio, 16_000, AbortSignal.timeout(5_000))
    assert.ok(heard)
    return await Array.fromAsync(heard)
  } finally {
    await fake.stop()
  }
}

async function* halfASecond(): AsyncIterable<LiveAudio> {
  yield new Uint8Array(16_000)
}

const atTheCommit = (answer: (socket: SocketAnswer) => void) => (socket: SocketAnswer) =>
  socket.onFrame((frame) => {
    if ((JSON.parse(String(frame)) as { commit: boolean }).commit) answer(socket)
  })

const committed = (text: string) => ({
  message_type: 'committed_transcript_with_timestamps',
  text,
  words: [],
})

test('half a second of silence ends in peace, whatever it says of it (SD-26)', async () => {
  const answers: ((socket: SocketAnswer) => void)[] = [
    (socket) => socket.send(committed('')),
    (socket) => socket.send({ message_type: 'insufficient_audio_activity', error: 'nothing to hear' }),
    (socket) => socket.send({ message_type: 'commit_throttled', error: 'too little' }),
    (socket) => socket.close(),
  ]
  for (const answer of answers)
    assert.deepEqual(await listening(atTheCommit(answer), halfASecond()), [{ type: 'ready' }])
})

test('what was asked to be committed before the end is waited for', async () => {
  async function* spoken(): AsyncIterable<LiveAudio> {
    yield new Uint8Array(16_000)
    yield 'finalize'
    yield new Uint8Array(16_000)
  }
  let commits = 0
  const heard = await listening(
    atTheCommit((socket) => {
      commits += 1
      if (commits < 2) return
      socket.send(committed('first'))
      socket.send(committed('second'))
    }),
    spoken(),
  )
  assert.deepEqual(heard, [
    { type: 'ready' },
    { type: 'final', text: 'first', words: [] },
    { type: 'final', text: 'second', words: [] },
  ])
})

test('what it finds wrong is a refusal, and its own trouble is none (SD-26)', async () => {
  const told = (message_type: string) =>
    listening(
      atTheCommit((socket) => socket.send({ message_type, error: 'in its words' })),
      halfASecond(),
    )
  await assert.rejects(told('quota_exceeded'), { kind: 'refused', message: 'in its words' })
  await assert.rejects(told('transcriber_error'), { kind: 'silent', message: 'in its words' })
  await assert.rejects(told('rate_limited'), { kind: 'silent', retryAfterMs: 500, message: 'in its words' })
})

test('a close without a request is no answer (SD-26)', async () => {
  async function* forever(): AsyncIterable<LiveAudio> {
    yield new Uint8Array(16_000)
    await new Promise(() => {})
  }
  const hungUp = listening((socket) => socket.onFrame(() => socket.close()), forever())
  await assert.rejects(hungUp, { kind: 'silent', message: 'it broke off: close code 1000' })
})

test('silence keeps the connection while no audio comes', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { promise: over, resolve: stop } = Promise.withResolvers<void>()
  const chunks: number[] = []
  async function* quiet(): AsyncIterable<LiveAudio> {
    yield new Uint8Array(16_000)
    setImmediate(() => t.mock.timers.tick(6_000))
    await over
  }
  await listening((socket) => {
    socket.onFrame((frame) => {
      const { audio_base_64: audio, commit } = JSON.parse(String(frame)) as {
        audio_base_64: string
        commit: boolean
      }
      chunks.push(Buffer.from(audio, 'base64').length)
      if (chunks.length === 2) stop()
      if (commit) socket.send(committed(''))
    })
  }, quiet())
  assert.deepEqual(chunks, [16_000, 3_200, 9_600])
})
