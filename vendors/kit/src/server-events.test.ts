import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventOf, serverEvents } from './server-events.ts'

/** An answer whose body comes in these pieces. */
function answerOf(pieces: Iterable<string | Uint8Array>): Response {
  const encoder = new TextEncoder()
  return new Response(
    ReadableStream.from(
      (function* () {
        for (const piece of pieces) yield typeof piece === 'string' ? encoder.encode(piece) : piece
      })(),
    ),
  )
}

const eventsOf = (...pieces: (string | Uint8Array)[]) => Array.fromAsync(serverEvents(answerOf(pieces)))

const stream =
  'data: {"a": "é…"}\r\n\r\n: a comment\nevent: word\nid: 7\ndata:two\ndata:  lines\n\n\ndata: last\n\n'
const events = ['{"a": "é…"}', 'two\n lines', 'last']

test('events are read as they are written: either line end, comments, other fields, several lines', async () => {
  assert.deepEqual(await eventsOf(stream), events)
})

test('a stream may be cut anywhere, in the middle of a letter too', async () => {
  const bytes = new TextEncoder().encode(stream)
  for (let at = 1; at < bytes.length; at += 1)
    assert.deepEqual(await eventsOf(bytes.subarray(0, at), bytes.subarray(at)), events, `cut at ${at}`)
  assert.deepEqual(await eventsOf(...Array.from(bytes, (byte) => Uint8Array.of(byte))), events)
})

test('an event is there as soon as its empty line is, and the last one without it', async () => {
  const held = Promise.withResolvers<void>()
  const body = ReadableStream.from(
    (async function* () {
      yield new TextEncoder().encode('data: first\n\n')
      await held.promise
      yield new TextEncoder().encode('data: second')
    })(),
  )
  const reading = serverEvents(new Response(body))[Symbol.asyncIterator]()
  assert.equal((await reading.next()).value, 'first')
  held.resolve()
  assert.equal((await reading.next()).value, 'second')
  assert.equal((await reading.next()).done, true)
})

test('a stream without an event is none', async () => {
  assert.deepEqual(await eventsOf(), [])
  assert.deepEqual(await eventsOf('\n\n: only a comment\n\nevent: word\n\n'), [])
})

const flood = (piece: string) =>
  (function* () {
    for (;;) yield piece
  })()

test('a line without an end is given up', async () => {
  const reading = Array.fromAsync(serverEvents(answerOf(flood('x'.repeat(64 * 1024)))))
  await assert.rejects(reading, { kind: 'silent', message: 'it sent a line without an end' })
})

test('an event without an end is given up', async () => {
  const reading = Array.fromAsync(serverEvents(answerOf(flood(`data: ${'x'.repeat(1024)}\n`))))
  await assert.rejects(reading, { kind: 'silent', message: 'it sent an event without an end' })
})

test('an event of a vendor that speaks JSON is an object, or no answer', () => {
  assert.deepEqual(eventOf('{"type": "word"}'), { type: 'word' })
  for (const data of ['', '{"type": ', '"word"', '7', 'null'])
    assert.throws(() => eventOf(data), { kind: 'silent', message: 'it sent an event that is not JSON' })
})
