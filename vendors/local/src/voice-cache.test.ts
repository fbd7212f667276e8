import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silent } from '@switchroom/kit/failures'
import { patient } from '../testing/speech.ts'
import { Exchange } from './exchange.ts'
import type { Message } from './messages.ts'
import { VoiceCache } from './voice-cache.ts'

const greeting: Message = { type: 'speak', text: 'Hello, how can I help you today?', words_per_minute: 175 }

/** A voice that says what the test lets it say. */
function newVoice() {
  const spoken: { exchange: Exchange; taken: number; isCancelled: boolean }[] = []
  const ask = (_: Message, signal: AbortSignal) => {
    const one = {
      taken: 0,
      isCancelled: false,
      exchange: new Exchange(
        ({ type, count }) => {
          if (type === 'taken') one.taken += Number(count)
          if (type === 'cancel') one.isCancelled = true
        },
        () => {},
      ),
    }
    signal.addEventListener('abort', () => one.exchange.cancel(signal.reason))
    spoken.push(one)
    return one.exchange
  }
  const say = (bytes: number, at = spoken.length - 1) =>
    spoken[at]?.exchange.answered({ message: { type: 'audio', bytes }, bytes: new Uint8Array(bytes) })
  const end = (at = spoken.length - 1) =>
    spoken[at]?.exchange.answered({ message: { type: 'done' }, bytes: new Uint8Array(0) })
  return { spoken, say, end, ask }
}

async function bytesOf(exchange: Exchange): Promise<number> {
  let sum = 0
  for await (const { bytes } of exchange) sum += bytes.length
  return sum
}

test('a sentence that several ask for at once or soon again is spoken once, and all get the whole of it', async () => {
  const voice = newVoice()
  const cache = new VoiceCache(voice)
  const first = bytesOf(cache.ask(greeting, patient()))
  voice.say(1_000)
  const second = bytesOf(cache.ask({ ...greeting }, patient()))
  voice.say(500)
  voice.end()
  assert.deepEqual(await Promise.all([first, second]), [1_500, 1_500])
  assert.equal(await bytesOf(cache.ask(greeting, patient())), 1_500)
  assert.equal(voice.spoken.length, 1)
})

test('another text, voice or pace is spoken anew, and so are long texts and lists of voices', () => {
  const voice = newVoice()
  const cache = new VoiceCache(voice)
  const long = { ...greeting, text: 'Hello. '.repeat(30) }
  const others = [{ text: 'Hello.' }, { voice: 'es' }, { language: 'pt' }, { words_per_minute: 200 }]
  for (const asked of [greeting, ...others.map((other) => ({ ...greeting, ...other })), long, long])
    cache.ask(asked, patient())
  cache.ask({ type: 'voices' }, patient())
  cache.ask({ type: 'voices' }, patient())
  assert.equal(voice.spoken.length, 9)
})

test('a listener who leaves takes nothing from the others; when the last leaves, the voice is free at once', async () => {
  const voice = newVoice()
  const cache = new VoiceCache(voice)
  const [leave, leaveToo] = [new AbortController(), new AbortController()]
  const [first, second] = [cache.ask(greeting, leave.signal), cache.ask(greeting, leaveToo.signal)]
  leave.abort()
  await assert.rejects(bytesOf(first), { name: 'AbortError' })
  assert.equal(voice.spoken[0]?.isCancelled, false)
  leaveToo.abort()
  await assert.rejects(bytesOf(second), { name: 'AbortError' })
  assert.equal(voice.spoken[0]?.isCancelled, true)
  cache.ask(greeting, patient())
  assert.equal(voice.spoken.length, 2)
})

test('a voice that fails fails every listener, and the next one asks it again', async () => {
  const voice = newVoice()
  const cache = new VoiceCache(voice)
  const both = [1, 2].map(async () => bytesOf(cache.ask(greeting, patient())))
  voice.spoken[0]?.exchange.fail(silent('it is gone'))
  for (const one of both) await assert.rejects(one, { kind: 'silent', message: 'it is gone' })
  cache.ask(greeting, patient())
  assert.equal(voice.spoken.length, 2)
})

test('the voice works as far ahead as its quickest listener follows', async () => {
  const voice = newVoice()
  const cache = new VoiceCache(voice)
  const [quick, slow] = [cache.ask(greeting, patient()), cache.ask(greeting, patient())]
  quick.send({ type: 'taken', count: 800 })
  slow.send({ type: 'taken', count: 300 })
  quick.send({ type: 'taken', count: 200 })
  assert.equal(voice.spoken[0]?.taken, 1_000)
})

test('what is kept is bounded: in age, and all together to four megabytes, of which the oldest goes first', async () => {
  const voice = newVoice()
  const cache = new VoiceCache(voice)
  const speak = async (text: string, bytes: number) => {
    const before = voice.spoken.length
    const heard = bytesOf(cache.ask({ ...greeting, text }, patient()))
    if (voice.spoken.length > before) {
      voice.say(bytes)
      voice.end()
    }
    assert.equal(await heard, bytes)
    return voice.spoken.length > before
  }
  for (let at = 0; at < 12; at += 1) assert.equal(await speak(`Sentence ${at}.`, 400_000), true)
  assert.equal(await speak('Sentence 11.', 400_000), false)
  assert.equal(await speak('Sentence 0.', 400_000), true)
  // what lasts longer than any greeting is not kept at all
  assert.equal(await speak('Long.', 600_000), true)
  assert.equal(await speak('Long.', 600_000), true)
  const aged = new VoiceCache(voice, 0)
  const asked = voice.spoken.length
  aged.ask(greeting, patient())
  aged.ask(greeting, patient())
  assert.equal(voice.spoken.length, asked + 2)
})
