import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HandshakeMessages, type HandshakePiece } from './handshake-messages.ts'

const piece = (number: number, text: string, begin = 0, end = text.length, type = 11): HandshakePiece => ({
  msg_type: type,
  message_seq: number,
  length: text.length,
  fragment_offset: begin,
  fragment_length: end - begin,
  fragment: Buffer.from(text.slice(begin, end)),
})
const texts = (messages: HandshakePiece[]) => messages.map(({ fragment }) => fragment.toString())

test('pieces make whole messages in order and once, in whatever order and however often they come', () => {
  const messages = new HandshakeMessages()
  assert.deepEqual(texts(messages.take(piece(1, 'second'))), [])
  assert.deepEqual(texts(messages.take(piece(0, 'first', 3))), [])
  assert.deepEqual(texts(messages.take(piece(0, 'first', 3))), [])
  assert.deepEqual(texts(messages.take(piece(0, 'first', 0, 4))), ['first', 'second'])
  assert.deepEqual(texts(messages.take(piece(0, 'first'))), [])
  assert.deepEqual(texts(messages.take(piece(2, '', 0, 0))), [''])
})

test('a client may begin again until it was answered, and never after', () => {
  const messages = new HandshakeMessages()
  const hello = () => texts(messages.take(piece(0, 'hello', 0, 5, 1)))
  assert.deepEqual([hello(), hello()], [['hello'], ['hello']])
  messages.take(piece(1, 'cookie', 0, 6, 1))
  assert.deepEqual(hello(), [])
})

test('pieces beyond their message, of a message of another kind or length, or far ahead are not kept', () => {
  const messages = new HandshakeMessages()
  messages.take({ ...piece(0, 'first', 0, 2), fragment: Buffer.alloc(50) })
  messages.take(piece(0, 'first', 0, 2))
  messages.take(piece(0, 'first', 2, 5, 12))
  messages.take(piece(0, 'other length', 2, 5))
  messages.take({ ...piece(0, 'first', 2, 5), length: 2 ** 24 - 1 })
  for (const far of [8, 9, 65_535]) messages.take(piece(far, 'far'))
  assert.deepEqual(texts(messages.take(piece(0, 'first', 2, 5))), ['first'])
})
