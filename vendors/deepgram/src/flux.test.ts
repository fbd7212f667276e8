import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { vendorIn } from '@switchroom/kit/installed'
import { conformance, listening } from '@switchroom/kit/testing/conformance'
import { transcriberAt } from '@switchroom/kit/testing/transcriber-at'
import { startWireFake, type SocketAnswer, type Wire } from '@switchroom/kit/testing/wire-fake'
import { ratesConformance } from '@switchroom/kit/testing/rates-conformance'
import { fluxRefusal, words } from '../testing/flux-wire.ts'
import { deepgramWire } from '../testing/wire.ts'

const folder = join(import.meta.dirname, '..')

const vendor = deepgramWire()

const wire: Wire = {
  ...vendor,
  socketRefusal: fluxRefusal,
  socket(socket, seen) {
    assert.equal(seen.url.pathname, '/v2/listen')
    assert.match(seen.headers.authorization ?? '', /^Token mark-of-api_key/)
    assert.deepEqual(Object.fromEntries(seen.url.searchParams), {
      model: 'flux-general-en',
      eot_threshold: '0.8',
      eager_eot_threshold: '0.4',
      keyterm: 'Switchroom',
      encoding: 'linear16',
      sample_rate: '16000',
    })
    const onFrame: SocketAnswer['onFrame'] = (passOn) =>
      socket.onFrame((frame) => {
        if (typeof frame !== 'string') assert.equal(frame.length, 2560, 'eighty milliseconds at a time')
        passOn(frame)
      })
    vendor.socket?.({ ...socket, onFrame }, seen)
  },
}

const said = {
  start: 0.1,
  end: 0.6,
  words: words.slice(0, 2).map(({ word, start, end }) => ({ word, start, end })),
}

conformance(folder, wire, [
  listening('ends turns', [new Uint8Array(2560), 'finalize', new Uint8Array(9_000)], {
    choice: {
      model: 'flux-general-en',
      knobs: { language: 'en', heard: ['Switchroom'], eot_threshold: 0.8, eager_eot_threshold: 0.4 },
    },
    expect(heard) {
      assert.deepEqual(heard, [
        { type: 'ready' },
        { type: 'turn', state: 'started' },
        { type: 'partial', text: 'Book' },
        { type: 'partial', text: 'Book it' },
        { type: 'turn', state: 'eager' },
        { type: 'turn', state: 'resumed' },
        { type: 'partial', text: 'Book it please' },
        { type: 'final', text: 'Book it please', ...said },
        { type: 'turn', state: 'ended' },
        { type: 'turn', state: 'started' },
        { type: 'partial', text: 'Book it' },
        { type: 'final', text: 'Book it', ...said },
        { type: 'turn', state: 'ended' },
      ])
    },
  }),
])

async function* aSecond() {
  yield new Uint8Array(32_000)
}

/** What a flux transcriber hears in one second of silence. */
async function hear(answer: Wire, model: string, knobs: Record<string, unknown> = {}) {
  const fake = await startWireFake(answer)
  try {
    const options = { base_url: fake.url }
    const choice = { model, knobs, options, credentials: { api_key: 'key-of-a-test' } }
    const transcriber = await vendorIn(folder)?.transcriber(choice)
    const heard = transcriber?.listen?.(aSecond(), 16_000, AbortSignal.timeout(5_000))
    assert.ok(heard)
    return { heard: await Array.fromAsync(heard), fake }
  } finally {
    await fake.stop()
  }
}

const endsAtOnce = (close: (socket: SocketAnswer) => void): Wire => ({
  refusal: () => ({}),
  socket(socket) {
    socket.send({ type: 'Connected', request_id: 'fake', sequence_id: 0 })
    socket.onFrame((frame) => typeof frame === 'string' && close(socket))
  },
})

test('only the multilingual model gets a language hint', async () => {
  const { heard, fake } = await hear(
    endsAtOnce((socket) => socket.close()),
    'flux-general-multi',
    { language: 'pt-BR' },
  )
  assert.deepEqual(heard, [{ type: 'ready' }])
  assert.equal(fake.seen[0]?.url.searchParams.get('language_hint'), 'pt')
})

test('a fault that it reports on the socket is no answer (SD-26)', async () => {
  const fault = { type: 'Error', sequence_id: 1, code: 'INTERNAL_SERVER_ERROR', description: 'out of order' }
  const broken = endsAtOnce((socket) => socket.send(fault))
  await assert.rejects(hear(broken, 'flux-general-en'), { kind: 'silent', message: 'out of order' })
})

test('a socket that it closes for our fault is a refusal in its words (SD-26)', async () => {
  const closed = endsAtOnce((socket) => socket.close(1008, 'DATA-0000: no such audio'))
  await assert.rejects(hear(closed, 'flux-general-en'), {
    kind: 'refused',
    message: 'DATA-0000: no such audio',
  })
})

test('a recording is left to the model that takes recordings, with what both know', async (t) => {
  const fake = await startWireFake(deepgramWire())
  t.after(() => fake.stop())
  const recording = { bytes: new Uint8Array(100), mediaType: 'audio/ogg' }
  const transcribed = async (knobs: Record<string, unknown>) => {
    const transcriber = await transcriberAt(folder, fake, { model: 'flux-general-multi', knobs })
    const { text } = await transcriber.transcribe(recording, AbortSignal.timeout(5_000))
    assert.equal(text, 'Hello there. Goodbye.')
    return Object.fromEntries(fake.seen.at(-1)?.url.searchParams ?? [])
  }
  const always = { smart_format: 'true', utterances: 'true', model: 'nova-3' }
  assert.deepEqual(await transcribed({ language: 'pt-BR', heard: ['Ada'], eot_threshold: 0.8 }), {
    ...always,
    language: 'pt-BR',
    keyterm: 'Ada',
  })
  assert.deepEqual(await transcribed({}), { ...always, detect_language: 'true' })
})

ratesConformance(folder, {
  choice: { model: 'flux-general-multi' },
  wire: deepgramWire,
  mostFilledMs: 80,
})
