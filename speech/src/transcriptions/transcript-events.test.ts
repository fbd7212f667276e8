import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transcript } from '@switchroom/kit/vendor'
import { makeLogger } from '@switchroom/process/logging'
import { CallerGone } from '../http/caller-gone.ts'
import { Refusal } from '../foundation/refusals.ts'
import { TranscriptEvents } from './transcript-events.ts'

const logger = makeLogger('silent', process.stdout)
const heard = (text: string, segments: Transcript['segments'] = []) => ({
  transcript: { text, language: 'en', duration: 2, words: [], segments },
  model: 'x/y',
  seconds: 1.2,
  diarize: false,
  isTranslated: false,
})
type Event = Record<string, unknown> & { type: string; delta?: string }
const read = async (events: AsyncIterable<string>) =>
  (await Array.fromAsync(events)).map((event) => JSON.parse(event.slice('data: '.length)) as Event)
const deltasOf = (events: Event[]) => events.flatMap(({ delta }) => (delta === undefined ? [] : [delta]))

test('what a vendor tells comes as deltas while it hears, the rest of the text behind it, then the whole', async () => {
  const events = new TranscriptEvents()
  const whole = Promise.withResolvers<ReturnType<typeof heard>>()
  const begun = events.begin(whole.promise, logger)
  events.tell('Hello')
  const iterator = (await begun)[Symbol.asyncIterator]()
  assert.match((await iterator.next()).value as string, /"delta":"Hello"/)
  events.tell(' there.')
  assert.match((await iterator.next()).value as string, /"delta":" there."/)
  const next = iterator.next()
  whole.resolve(heard('Hello there. Bye.'))
  assert.match((await next).value as string, /"delta":" Bye."/)
  assert.deepEqual(JSON.parse(String((await iterator.next()).value).slice(6)), {
    type: 'transcript.text.done',
    text: 'Hello there. Bye.',
    usage: { type: 'duration', seconds: 2 },
  })
  assert.equal((await iterator.next()).done, true)
})

test('a vendor that tells nothing before the end gives a delta for each segment, and together they are the text', async () => {
  const segments = ['One.', 'Two.'].map((text, at) => ({ start: at, end: at + 1, text }))
  const table = [
    { whole: heard('One. Two.', segments), deltas: ['One.', ' Two.'] },
    { whole: heard('One; two.', segments), deltas: ['One; two.'] },
    { whole: heard(''), deltas: [] },
  ]
  for (const { whole, deltas } of table) {
    const events = await read(await new TranscriptEvents().begin(Promise.resolve(whole), logger))
    assert.deepEqual(deltasOf(events), deltas)
    assert.equal(events.at(-1)?.['text'], whole.transcript.text)
  }
})

test('what fails before the first text is a refusal, and later an error event without an end', async () => {
  const refusal = new Refusal(502, 'UPSTREAM_ERROR', 'x did not answer: gone')
  await assert.rejects(new TranscriptEvents().begin(Promise.reject(refusal), logger), refusal)
  const events = new TranscriptEvents()
  const whole = Promise.withResolvers<ReturnType<typeof heard>>()
  const begun = events.begin(whole.promise, logger)
  events.tell('Hello')
  const told = await begun
  whole.reject(refusal)
  const error = { message: refusal.message, type: 'server_error', code: 'upstream_error', param: null }
  assert.deepEqual(await read(told), [
    { type: 'transcript.text.delta', delta: 'Hello' },
    { type: 'error', error, code: 'UPSTREAM_ERROR' },
  ])
})

test('a caller that is gone is told nothing more', async () => {
  const events = new TranscriptEvents()
  const whole = Promise.withResolvers<ReturnType<typeof heard>>()
  const begun = events.begin(whole.promise, logger)
  events.tell('Hello')
  const told = await begun
  whole.reject(new CallerGone('the caller hung up'))
  assert.deepEqual(deltasOf(await read(told)), ['Hello'])
})
