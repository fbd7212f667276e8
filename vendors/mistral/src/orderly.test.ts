import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from '@switchroom/kit/vendor'
import { orderly } from './orderly.ts'

const call = { id: 'functions.look_up:0', name: 'look_up', arguments: '{}' }
const called: Message = { role: 'assistant', text: '', calls: [call] }
const result: Message = { role: 'tool', call: call.id, name: 'look_up', text: 'on its way' }
const interrupted: Message = { role: 'user', text: 'never mind' }

test('a caller who speaks right after a tool speaks after the assistant', () => {
  const { messages } = orderly({ messages: [called, result, interrupted] })
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['assistant', 'tool', 'assistant', 'user'],
  )
  assert.deepEqual(messages.at(-1), interrupted)
})

test('system messages are joined and come first', () => {
  const { messages } = orderly({
    messages: [
      { role: 'system', text: 'Be brief.' },
      { role: 'assistant', text: 'Good morning.' },
      { role: 'system', text: 'The shop is closed.' },
      { role: 'user', text: 'hello?' },
    ],
  })
  assert.deepEqual(messages, [
    { role: 'system', text: 'Be brief.\n\nThe shop is closed.' },
    { role: 'assistant', text: 'Good morning.' },
    { role: 'user', text: 'hello?' },
  ])
})

test('an id of the form that is taken stays, and every other gets one of its own', () => {
  const own = { ...call, id: 'D681PevKs' }
  const { messages } = orderly({
    messages: [{ ...called, calls: [own, call] }, { ...result, call: own.id }, result],
  })
  const [first, second, third] = messages
  assert.ok(first?.role === 'assistant' && second?.role === 'tool' && third?.role === 'tool')
  const ids = first.calls?.map(({ id }) => id) ?? []
  assert.deepEqual([second.call, third.call], ids)
  assert.equal(ids[0], own.id)
  assert.match(ids[1] ?? '', /^[a-zA-Z0-9]{9}$/)
})
