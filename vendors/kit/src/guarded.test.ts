import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { refused, silent, VendorFailure } from './failures.ts'
import { guardedTranscriber, guardedModel, guardedVoice, guardedVoices } from './guarded.ts'
import type { Conversation, Model, Spoken, Voice } from './vendor.ts'

const credentials = { api_key: 'a-very-secret-key' }
const patient = () => AbortSignal.timeout(10_000)
const never = new Promise<never>(() => {})
const conversation = { messages: [] }

const voiceOf = (speak: Voice['speak']) =>
  guardedVoice(() => ({ sampleRate: 24_000, speak }), { credentials })
const modelOf = (think: Model['think']) => guardedModel(() => ({ think }), { credentials })
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
    assert.throws(() => guardedVoice(throws, { credentials }), failure)
    await assert.rejects(Array.fromAsync(modelOf(throws).think(conversation, patient())), failure)
    await assert.rejects(
      Array.fromAsync(modelOf(() => iterable(throws)).think(conversation, patient())),
      failure,
    )
    const transcriber = guardedTranscriber(() => ({ transcribe: throws }), { credentials })
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
  assert.deepEqual(Object.keys(guardedTranscriber(() => ({}), { credentials })), [])
  const batch = guardedTranscriber(() => ({ transcribe: () => never }), { credentials })
  assert.deepEqual(Object.keys(batch), ['transcribe'])
})

test('a vendor whose adapter lists no voices has none', async () => {
  assert.deepEqual(await guardedVoices({}, { class: 'TTS', keywords: {}, credentials }, patient()), [])
})

const busyFor = (waitMs: number) => new VendorFailure('refused', 'too many requests', waitMs)

/** A model that is too busy for its first requests. */
function busyModel(times: number, failure: VendorFailure, retries?: number) {
  let asked = 0
  const think: Model['think'] = async function* () {
    asked += 1
    if (asked <= times) throw failure
    yield { type: 'text', text: 'Yes.' }
  }
  return { model: guardedModel(() => ({ think }), { credentials, retries }), asked: () => asked }
}

const answered = (model: Model, signal = patient()) =>
  Array.fromAsync(model.think({ messages: [{ role: 'user', text: 'Hello?' }] }, signal))

test('a vendor that is too busy is asked again twice, after as long as it says', async () => {
  const { model, asked } = busyModel(2, busyFor(30))
  const startedMs = performance.now()
  assert.deepEqual(await answered(model), [{ type: 'text', text: 'Yes.' }])
  assert.equal(asked(), 3)
  assert.ok(performance.now() - startedMs >= 45)
  const busier = busyModel(3, busyFor(1))
  await assert.rejects(answered(busier.model), { kind: 'refused', retryAfterMs: 1 })
  assert.equal(busier.asked(), 3)
})

test('a vendor that wants to be left alone for long, or a request without retries, is asked once', async () => {
  const late = busyModel(1, busyFor(2_001))
  await assert.rejects(answered(late.model), { retryAfterMs: 2_001 })
  const once = busyModel(1, busyFor(1), 0)
  await assert.rejects(answered(once.model), { retryAfterMs: 1 })
  assert.deepEqual([late.asked(), once.asked()], [1, 1])
})

test('a wait for a busy vendor ends with the deadline', async () => {
  const { model, asked } = busyModel(1, busyFor(1_500))
  await assert.rejects(answered(model, AbortSignal.timeout(50)), {
    kind: 'silent',
    message: 'no answer in time',
  })
  assert.equal(asked(), 1)
})

test('an answer that has begun is not begun again', async () => {
  let asked = 0
  const think: Model['think'] = async function* () {
    asked += 1
    yield { type: 'text', text: 'Well' }
    throw busyFor(1)
  }
  await assert.rejects(answered(modelOf(think)), { retryAfterMs: 1 })
  assert.equal(asked, 1)
})

test('a live transcription is begun again only while nothing of the audio was taken', async () => {
  let asked = 0
  const transcriberThat = (takes: boolean) =>
    guardedTranscriber(
      () => ({
        async *listen(spoken) {
          asked += 1
          if (takes) for await (const _ of spoken) break
          if (asked === 1) throw busyFor(1)
          yield { type: 'ready' }
        },
      }),
      { credentials },
    )
  async function* speech() {
    yield new Uint8Array(2)
  }
  const heard = (takes: boolean) =>
    Array.fromAsync(transcriberThat(takes).listen?.(speech(), 16_000, patient()) ?? [])
  assert.deepEqual(await heard(false), [{ type: 'ready' }])
  asked = 0
  await assert.rejects(heard(true), { retryAfterMs: 1 })
})

test('a conversation that ends with the assistant is asked with a turn of the user at its end', async () => {
  const asked: Conversation[] = []
  const think: Model['think'] = async function* (given) {
    asked.push(given)
    yield { type: 'text', text: 'Yes.' }
  }
  const model = modelOf(think)
  const greeted: Conversation['messages'] = [
    { role: 'user', text: 'Hi.' },
    { role: 'assistant', text: 'Good morning.' },
    { role: 'system', text: 'Be brief.' },
  ]
  await Array.fromAsync(model.think({ messages: greeted }, patient()))
  await Array.fromAsync(model.think({ messages: greeted.slice(0, 1) }, patient()))
  assert.deepEqual(
    asked.map(({ messages }) => messages),
    [[...greeted, { role: 'user', text: '…' }], greeted.slice(0, 1)],
  )
})
