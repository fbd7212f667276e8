import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { refused, silent } from './failures.ts'
import { guardedTranscriber, guardedModel, guardedVoice, guardedVoices } from './guarded.ts'
import type { Model, Spoken, Voice } from './vendor.ts'

const credentials = { api_key: 'a-very-secret-key' }
const patient = () => AbortSignal.timeout(10_000)
const never = new Promise<never>(() => {})
const conversation = { messages: [] }

const voiceOf = (speak: Voice['speak']) => guardedVoice(() => ({ sampleRate: 24_000, speak }), credentials)
const modelOf = (think: Model['think']) => guardedModel(() => ({ think }), credentials)
const audio = (byte: number): Spoken => ({ type: 'audio', pcm: Uint8Array.of(byte, 0) })

/** An iterable whose `next` is this. */
const iterable = <T>(next: () => Promise<IteratorResult<T>>, more: object = {}): AsyncIterable<T> => ({
  [Symbol.asyncIterator]: () => ({ next, ...more }),
})

test('what an adapter yields comes through as it is', async () => {
  const voice = voiceOf(async function* () {
    yield audio(1)
    yield { type: 'word', word: 'hello', start: 0, end: 1 }
  })
  assert.equal(voice.sampleRate, 24_000)
  assert.deepEqual(await Array.fromAsync(voice.speak('hello', patient())), [
    audio(1),
    { type: 'word', word: 'hello', start: 0, end: 1 },
  ])
})

test('a failure keeps its kind and loses the secret', async () => {
  const thrown = refused(`Incorrect key a-very-secret-key`)
  const model = modelOf(() => iterable(() => Promise.reject(thrown)))
  const failing = Array.fromAsync(model.think(conversation, patient()))
  await assert.rejects(failing, { kind: 'refused', message: 'Incorrect key ***' })
})

const odd: Record<string, [thrown: unknown, message: RegExp]> = {
  'a string': ['the key a-very-secret-key is cold', /^the key \*\*\* is cold$/],
  nothing: [undefined, /^undefined$/],
  'an object': [{ code: 7, key: 'a-very-secret-key' }, /code: 7, key: '\*\*\*'/],
  'an object without a form': [Object.create(null), /./],
  'an error without words': [new Error(''), /^it broke off$/],
  'an error with a cause': [
    new Error('fetch failed', { cause: new Error('no route') }),
    /^fetch failed: no route$/,
  ],
  'a failure without words': [silent(''), /^it gave no reason$/],
}

for (const [what, [thrown, message]] of Object.entries(odd)) {
  test(`an adapter that throws ${what} did not answer`, async () => {
    const model = modelOf(() => iterable(() => Promise.reject(thrown)))
    await assert.rejects(Array.fromAsync(model.think(conversation, patient())), { kind: 'silent', message })
  })

  test(`an adapter that throws ${what} before it promises anything did not answer`, async () => {
    const throws = () => {
      throw thrown
    }
    const failure = { kind: 'silent', message } as const
    assert.throws(() => guardedVoice(throws, credentials), failure)
    await assert.rejects(Array.fromAsync(modelOf(throws).think(conversation, patient())), failure)
    await assert.rejects(
      Array.fromAsync(modelOf(() => iterable(throws)).think(conversation, patient())),
      failure,
    )
    const transcriber = guardedTranscriber(() => ({ transcribe: throws }), credentials)
    const recording = { bytes: new Uint8Array(0), mediaType: 'audio/wav' }
    await assert.rejects(async () => transcriber.transcribe?.(recording, patient()), failure)
    const setting = { class: 'TTS', keywords: {}, credentials }
    await assert.rejects(guardedVoices({ voices: throws }, setting, patient()), failure)
  })
}

test('an adapter that promises no stream did not answer', async () => {
  const model = modelOf(() => undefined as never)
  await assert.rejects(Array.fromAsync(model.think(conversation, patient())), { kind: 'silent' })
})

test('an adapter that ignores its signal is left behind at once', async () => {
  const model = modelOf(() => iterable(() => never))
  const cancel = new AbortController()
  const thinking = Array.fromAsync(model.think(conversation, cancel.signal))
  const reason = new Error('the caller hung up')
  cancel.abort(reason)
  await assert.rejects(thinking, reason)
})

test('an adapter that ignores its time is silent (SD-26)', async () => {
  const model = modelOf(() => iterable(() => never))
  const thinking = Array.fromAsync(model.think(conversation, AbortSignal.timeout(20)))
  await assert.rejects(thinking, { kind: 'silent', message: 'no answer in time' })
})

test('nothing that an adapter yields after a cancel is heard', async () => {
  const held = Promise.withResolvers<void>()
  const voice = voiceOf(async function* () {
    yield audio(1)
    await held.promise
    yield audio(2)
  })
  const cancel = new AbortController()
  const heard: Spoken[] = []
  await assert.rejects(
    async () => {
      for await (const spoken of voice.speak('hello', cancel.signal)) {
        heard.push(spoken)
        cancel.abort()
        held.resolve()
      }
    },
    { name: 'AbortError' },
  )
  assert.deepEqual(heard, [audio(1)])
})

test('what a cancelled adapter does later has no effect, nor has its failure', async (t) => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  t.after(() => process.off('unhandledRejection', note))
  const late = Promise.withResolvers<never>()
  const ending = { return: () => Promise.reject(new Error('it cannot even end')) }
  const cancel = new AbortController()
  const thinking = Array.fromAsync(
    modelOf(() => iterable(() => late.promise, ending)).think(conversation, cancel.signal),
  )
  cancel.abort()
  await assert.rejects(thinking, { name: 'AbortError' })
  late.reject(new Error('too late'))
  await sleep(10) // unhandled rejections are reported at the end of the event loop's turn
  assert.deepEqual(unhandled, [])
})

test('a cancelled call is never begun', async () => {
  let isBegun = false
  const model = modelOf(() => {
    isBegun = true
    return iterable(() => never)
  })
  await assert.rejects(Array.fromAsync(model.think(conversation, AbortSignal.abort())), {
    name: 'AbortError',
  })
  assert.equal(isBegun, false)
})

test('an adapter learns that its reader is gone, by its signal and by its end', async () => {
  let inner: AbortSignal | undefined
  let isEnded = false
  const voice = voiceOf(async function* (_text, signal) {
    inner = signal
    try {
      for (;;) yield audio(1)
    } finally {
      isEnded = true
    }
  })
  for await (const spoken of voice.speak('hello', patient())) if (spoken.type === 'audio') break
  assert.equal(inner?.aborted, true)
  await sleep(0)
  assert.equal(isEnded, true)
})

test('a caller who asks many times on one signal leaves nothing on it', async () => {
  const { signal } = new AbortController()
  const listeners = new Set<unknown>()
  signal.addEventListener = (_: string, listener: unknown) => void listeners.add(listener)
  signal.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener)
  const model = modelOf(async function* () {
    yield { type: 'text', text: 'hello' }
  })
  for (let time = 0; time < 5; time += 1) await Array.fromAsync(model.think(conversation, signal))
  assert.equal(listeners.size, 0)
})

test('a transcriber has only the methods that the adapter has', () => {
  assert.deepEqual(Object.keys(guardedTranscriber(() => ({}), credentials)), [])
  const batch = guardedTranscriber(() => ({ transcribe: () => never }), credentials)
  assert.deepEqual(Object.keys(batch), ['transcribe'])
})

test('a vendor whose adapter lists no voices has none', async () => {
  assert.deepEqual(await guardedVoices({}, { class: 'TTS', keywords: {}, credentials }, patient()), [])
})
