import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { vendorIn } from '@switchroom/kit/installed'
import { startWireFake, type SocketAnswer } from '@switchroom/kit/testing/wire-fake'
import type { LiveAudio } from '@switchroom/kit/vendor'

async function listening(
  converse: (socket: SocketAnswer) => void,
  audio: AsyncIterable<LiveAudio>,
  choice: { model?: string; knobs?: Record<string, unknown> } = {},
) {
  const fake = await startWireFake({ refusal: () => ({}), socket: converse })
  try {
    const settled = {
      ...choice,
      options: { base_url: `${fake.url}/` },
      credentials: { api_key: 'key-of-a-test' },
    }
    const transcriber = await vendorIn(join(import.meta.dirname, '..'))?.transcriber(settled)
    const heard = transcriber?.listen?.(audio, 8_000, AbortSignal.timeout(5_000))
    assert.ok(heard)
    return { heard: await Array.fromAsync(heard), query: fake.seen[0]?.url.searchParams }
  } finally {
    await fake.stop()
  }
}

async function* aSecond(): AsyncIterable<LiveAudio> {
  yield new Uint8Array(16_000)
}

const closesAtTheEnd =
  (code?: number, reason?: string) =>
  (socket: SocketAnswer): void =>
    socket.onFrame((frame) => typeof frame === 'string' && socket.close(code, reason))

test('a stream without speech ends without an error (SD-26)', async () => {
  const { heard } = await listening(closesAtTheEnd(), aSecond())
  assert.deepEqual(heard, [{ type: 'ready' }])
})

test('the language is detected if none is set, by a model that can', async () => {
  const language = async (choice: Parameters<typeof listening>[2]) =>
    (await listening(closesAtTheEnd(), aSecond(), choice)).query?.get('language')
  assert.equal(await language({}), 'multi')
  assert.equal(await language({ knobs: { language: 'pt-BR' } }), 'pt-BR')
  assert.equal(await language({ model: 'nova-3-medical' }), null)
  assert.equal(await language({ model: 'nova-2' }), null)
})

test('models that know no key terms are given keywords', async () => {
  const choice = { model: 'nova-2', knobs: { heard: ['Switchroom', 'Ada'] } }
  const { query } = await listening(closesAtTheEnd(), aSecond(), choice)
  assert.deepEqual(query?.getAll('keywords'), ['Switchroom', 'Ada'])
  assert.deepEqual(query?.getAll('keyterm'), [])
})

test('a longer list of words than it takes is cut short, not refused', async () => {
  const choice = { knobs: { heard: Array.from({ length: 300 }, (_, at) => `word${at}`) } }
  const { query } = await listening(closesAtTheEnd(), aSecond(), choice)
  assert.equal(query?.getAll('keyterm').length, 100)
})

test('audio it cannot read is a refusal in its words (SD-26)', async () => {
  const closed = listening(closesAtTheEnd(1008, 'DATA-0000: no such audio'), aSecond())
  await assert.rejects(closed, { kind: 'refused', message: 'DATA-0000: no such audio' })
})

test('a close without a request is no answer (SD-26)', async () => {
  const hungUp = listening((socket) => socket.onFrame(() => socket.close()), forever())
  await assert.rejects(hungUp, { kind: 'silent', message: /broke off: close code 1000/ })
})

async function* forever(): AsyncIterable<LiveAudio> {
  yield new Uint8Array(160)
  await new Promise(() => {})
}

test('keep-alive messages are sent while no audio comes', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { promise: over, resolve: stop } = Promise.withResolvers<void>()
  const frames: unknown[] = []
  async function* quiet(): AsyncIterable<LiveAudio> {
    yield new Uint8Array(160)
    setImmediate(() => t.mock.timers.tick(9_000))
    await over
  }
  await listening((socket) => {
    socket.onFrame((frame) => {
      frames.push(typeof frame === 'string' ? JSON.parse(frame) : 'audio')
      if (frames.length === 3) stop()
      if (frames.length === 4) socket.close()
    })
  }, quiet())
  const alive = { type: 'KeepAlive' }
  assert.deepEqual(frames, ['audio', alive, alive, { type: 'CloseStream' }])
})
