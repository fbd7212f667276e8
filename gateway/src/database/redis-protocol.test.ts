import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandOf, RedisError, RedisParser } from './redis-protocol.ts'

const parsed = (text: string) => new RedisParser().read(Buffer.from(text))

test('a command is written with the lengths of its words in bytes', () => {
  assert.equal(commandOf(['PUBLISH', 'über', '']), '*3\r\n$7\r\nPUBLISH\r\n$5\r\nüber\r\n$0\r\n\r\n')
})

test('answers are read whole, wherever the bytes are cut', () => {
  const text =
    '+OK\r\n:7\r\n$5\r\nüber\r\n>3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$4\r\na\r\nb\r\n%1\r\n+proto\r\n:3\r\n_\r\n$-1\r\n'
  const wanted = ['OK', 7, 'über', { pushed: ['message', 'c', 'a\r\nb'] }, ['proto', 3], null, null]
  assert.deepEqual(parsed(text), wanted)
  const bytes = Buffer.from(text)
  const parser = new RedisParser()
  const read = Array.from(bytes, (_, n) => parser.read(bytes.subarray(n, n + 1))).flat()
  assert.deepEqual(read, wanted)
  const [refused] = parsed('-WRONGPASS no\r\n')
  assert.ok(refused instanceof RedisError)
  assert.equal(refused.message, 'WRONGPASS no')
})

test('what is not Redis, has no end, or is nested without end is refused', () => {
  assert.throws(() => parsed('HTTP/1.1 400 Bad Request\r\n'), /does not speak RESP3/)
  assert.throws(() => parsed('$99999999999\r\n'), /a length that no answer has/)
  assert.throws(() => parsed('$x\r\n'), /a length that no answer has/)
  assert.throws(() => parsed('*1\r\n'.repeat(100)), /nested too deep/)
  assert.throws(() => parsed(`+${'x'.repeat(2_000_000)}`), /more than any answer needs/)
})
