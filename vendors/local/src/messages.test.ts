import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lineOf, MessageReader } from './messages.ts'

test('messages and the bytes behind them are put together again, however the pipe cuts them', () => {
  const bytes = Buffer.from('raw\nbytes {"type":"none"}\n')
  const words = 'a line\u2028of many\nlines 😀'
  const sent = Buffer.concat([
    Buffer.from(lineOf({ type: 'word', id: 1, words })),
    Buffer.from(lineOf({ type: 'audio', id: 2, bytes: bytes.length })),
    bytes,
    Buffer.from(lineOf({ type: 'done', id: 1 })),
  ])
  for (const size of [1, 7, 64, sent.length]) {
    const reader = new MessageReader()
    const read = []
    for (let at = 0; at < sent.length; at += size) read.push(...reader.read(sent.subarray(at, at + size)))
    assert.deepEqual(
      read.map(({ message }) => message.type),
      ['word', 'audio', 'done'],
    )
    assert.equal(read[0]?.message['words'], words)
    assert.deepEqual(Buffer.from(read[1]?.bytes ?? []), bytes)
  }
})
