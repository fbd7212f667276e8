import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from '@switchroom/kit/vendor'
import { recentOf } from './recent.ts'

const asks = (text: string): Message => ({ role: 'user', text })
const says = (text: string): Message => ({ role: 'assistant', text })
const looksUp: Message[] = [
  { role: 'assistant', text: '', calls: [{ id: '1', name: 'look_up', arguments: '{}' }] },
  { role: 'tool', call: '1', name: 'look_up', text: 'found' },
]

test('a conversation that fits is read whole, also one that the agent began', () => {
  const whole = [says('Hello'), asks('Hi'), ...looksUp, says('Well')]
  assert.deepEqual(recentOf(whole), whole)
})

test('of a longer one the model reads the end, from a turn of the user on, never a result without its call', () => {
  const talk = [asks('first'), says('one'), asks('second'), ...looksUp, says('two'), asks('third')]
  assert.deepEqual(recentOf(talk, 'thirdtwofound{}second'.length), talk.slice(2))
  assert.deepEqual(recentOf(talk, 'thirdtwofound{}'.length), talk.slice(6))
})

test('what the user asks now is read however long it is, with what came of it', () => {
  const talk = [asks('first'), says('one'), asks('a very long question'), ...looksUp]
  assert.deepEqual(recentOf(talk, 3), talk.slice(2))
  assert.deepEqual(recentOf([says('only the agent spoke')], 3), [says('only the agent spoke')])
})
