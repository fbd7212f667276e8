import assert from 'node:assert/strict'
import type { Conversation, Message, Thought } from '../src/vendor.ts'
import { thinking, type Operation } from './conformance.ts'

// A conversation about two orders that a tool looks up, as every model's wire fake is asked for it.

export const parameters = { type: 'object', properties: { order: { type: 'integer' } } }
export const tools = [{ name: 'look_up', description: 'looks an order up', parameters }]

export const asked: Message[] = [
  { role: 'system', text: 'Be brief.' },
  { role: 'assistant', text: 'Good morning.' },
  { role: 'user', text: 'Where are orders 42 and 43?' },
]

/** The same after another vendor's model called the tool, with ids of that vendor. */
export function askedAndLookedUp(idOf: (order: number) => string): Message[] {
  const calls = [42, 43].map((order) => ({
    id: idOf(order),
    name: 'look_up',
    arguments: `{"order":${order}}`,
  }))
  return [
    ...asked,
    { role: 'assistant', text: '', calls },
    ...calls.map(({ id, name }): Message => ({ role: 'tool', call: id, name, text: 'on its way' })),
    { role: 'user', text: 'Well?' },
  ]
}

export const text = (piece: string): Thought => ({ type: 'text', text: piece })
export const call = (id: string, given: string): Thought => ({
  type: 'call',
  id,
  name: 'look_up',
  arguments: given,
})
export const counted: Thought = { type: 'usage', inputTokens: 12, outputTokens: 5 }
export const onTheirWay = [text('They are'), text(' on their way.'), counted]

/** At the temperature that the wire fakes expect. */
export const answers = (name: string, conversation: Conversation, thoughts: Thought[]): Operation =>
  thinking(name, conversation, {
    choice: { knobs: { temperature: 0.3 } },
    expect: (thought) => assert.deepEqual(thought, thoughts),
  })
