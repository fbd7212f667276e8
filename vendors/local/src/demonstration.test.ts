import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unspoken } from '@switchroom/kit/turns'
import type { Message, Thought, Tool } from '@switchroom/kit/vendor'
import { patient } from '../testing/speech.ts'
import { demonstrationModel } from './demonstration.ts'
import { disclosures } from './demonstration-phrases.ts'

const think = (messages: Message[], tools: Tool[] = []): Promise<Thought[]> =>
  Array.fromAsync(demonstrationModel.think({ messages, tools }, patient()))

const textOf = (thoughts: Thought[]) =>
  thoughts.map((thought) => (thought.type === 'text' ? thought.text : '')).join('')

const [english = '', spanish = '', portuguese = ''] = disclosures

/** What it says after it has said what it is. */
async function reply(...said: string[]): Promise<string> {
  const before: Message[] = [{ role: 'assistant', text: `${english} Hello!` }]
  return textOf(await think([...before, ...said.map((text) => ({ role: 'user' as const, text }))]))
}

const transfer: Tool = {
  name: 'book_table',
  description: 'Books a table',
  parameters: {
    type: 'object',
    properties: {
      people: { type: 'integer' },
      hour: { type: 'number' },
      name: { type: 'string' },
      place: { enum: ['inside', 'terrace'] },
      smoking: { type: 'boolean' },
      options: { type: 'object' },
    },
  },
}

test('its first answer says what it is and how to get a real model, and no later one does (SD-80)', async () => {
  const messages: Message[] = [
    { role: 'system', text: 'You are helpful.' },
    { role: 'assistant', text: 'Welcome, how can I help?' },
    { role: 'user', text: 'Hello' },
  ]
  const first = textOf(await think(messages))
  assert.equal(first, `${english} Hello!`)
  assert.match(first, /not a language model.+Ollama/)
  const later: Message[] = [
    { role: 'assistant', text: first },
    { role: 'user', text: 'The sky is green.' },
  ]
  assert.equal(textOf(await think([...messages, ...later])), 'I understood: The sky is green.')
})

test('it answers greetings, thanks, the time and a name it was given', async () => {
  assert.equal(await reply('Good morning!'), 'Hello!')
  assert.equal(await reply('My name is Ana.'), 'Nice to meet you, Ana.')
  assert.equal(await reply('My name is Ana.', 'What is my name?'), 'Your name is Ana.')
  assert.equal(await reply('What’s my name?'), 'You have not told me your name.')
  assert.equal(await reply('call me Ana-Lía', 'hi'), 'Hello, Ana-Lía!')
  assert.match(await reply('What time is it?'), /^It is \d\d:\d\d here\.$/)
  assert.equal(await reply('Thank you'), 'You are welcome.')
  assert.equal(await reply(' '), 'I heard nothing yet.')
  assert.equal(await reply(unspoken), 'I heard nothing yet.')
})

test('it speaks Spanish and Portuguese to a caller who does, and if the prompt says so', async () => {
  assert.equal(
    textOf(await think([{ role: 'user', text: 'Hola, me llamo Luis' }])),
    `${spanish} Mucho gusto, Luis.`,
  )
  assert.equal(textOf(await think([{ role: 'user', text: 'Olá, bom dia' }])), `${portuguese} Olá!`)
  const told: Message[] = [
    { role: 'system', text: 'Answer in Portuguese.' },
    { role: 'user', text: 'ok' },
  ]
  assert.equal(textOf(await think(told)), `${portuguese} Entendi: ok`)
})

test('it streams its words and counts them', async () => {
  const thoughts = await think([{ role: 'user', text: 'Hello there' }])
  const words = thoughts.filter(({ type }) => type === 'text')
  assert.ok(words.length > 30)
  assert.deepEqual(thoughts.at(-1), { type: 'usage', inputTokens: 2, outputTokens: words.length })
})

test('it calls a tool whose name was said, with what was said about its fields', async () => {
  const said = 'Please book table for people 4 at hour 20.5, name Ana María and place terrace, smoking'
  const [call, ...others] = await think([{ role: 'user', text: said }], [transfer])
  assert.ok(call?.type === 'call' && others.length === 0)
  assert.equal(call.name, 'book_table')
  assert.deepEqual(JSON.parse(call.arguments), {
    people: 4,
    hour: 20.5,
    name: 'Ana María',
    place: 'terrace',
    smoking: true,
  })
})

test('it calls no tool that was not named, and fills no field that was not said', async () => {
  assert.match(textOf(await think([{ role: 'user', text: 'I have a book' }], [transfer])), /I understood/)
  const [call] = await think([{ role: 'user', text: 'book table' }], [transfer])
  assert.equal(call?.type === 'call' && call.arguments, '{}')
})

test('after a tool it says what the tool answered', async () => {
  const messages: Message[] = [
    { role: 'user', text: 'book table' },
    { role: 'assistant', text: '', calls: [{ id: 'call_1', name: 'book_table', arguments: '{}' }] },
    { role: 'tool', call: 'call_1', name: 'book_table', text: 'Done for 8 pm' },
  ]
  const said = textOf(await think(messages, [transfer]))
  assert.equal(said, `${english} The answer of book table is: Done for 8 pm`)
})
