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
  assert.ok(words.length > 20)
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
  assert.equal(said, `${english} Done for 8 pm.`)
})

const callBack: Tool = {
  name: 'call_back',
  description: 'Records a callback request',
  parameters: {
    type: 'object',
    required: ['number'],
    properties: {
      number: { type: 'string', pattern: '^\\+[1-9][0-9]{6,14}$', description: 'such as +34911234567' },
      when: { type: 'string' },
    },
  },
}
const time: Tool = {
  name: 'time',
  description: 'Tells the time',
  parameters: {
    type: 'object',
    properties: { zone: { type: 'string', description: 'such as Europe/Madrid' } },
  },
}
const calledWith = async (tool: Tool, ...messages: Message[]) => {
  const [call] = await think(messages, [tool])
  return call?.type === 'call' ? JSON.parse(call.arguments) : call
}
const says = (text: string): Message => ({ role: 'user', text })

test('it writes down the number of who asks to be called back, in digits or in words, and asks for one that was not said', async () => {
  for (const said of [
    'Please call me back on +34 600 111 222',
    'Call me back at +34600-111-222, please.',
    'please call back, number plus three four six zero zero one one one two two two',
    'Could you call me back on plus thirty four six double zero triple one triple two?',
  ])
    assert.deepEqual(await calledWith(callBack, says(said)), { number: '+34600111222' }, said)
  const asked = textOf(await think([says('Please call me back.')], [callBack]))
  assert.equal(asked, `${english} Please tell me the number, such as +34911234567.`)
  const dialogue: Message[] = [says('Please call me back.'), { role: 'assistant', text: asked }]
  const told = says('it is plus three four nine one one two three four five six seven')
  assert.deepEqual(await calledWith(callBack, ...dialogue, told), { number: '+34911234567' })
  const again = textOf(await think([...dialogue, says('tomorrow')], [callBack]))
  assert.equal(again, 'Please tell me the number, such as +34911234567.')
})

test('it tells the time of a city, and says so if it does not know the place', async () => {
  assert.deepEqual(await calledWith(time, says('What time is it in Tokyo?')), { zone: 'Asia/Tokyo' })
  assert.deepEqual(await calledWith(time, says('what is the time in new york')), { zone: 'America/New_York' })
  assert.deepEqual(await calledWith(time, says('What time is it?')), {})
  const unknown = textOf(await think([says('What time is it in Springfield?')], [time]))
  assert.match(unknown, /I do not know the time zone of Springfield\. I know those of large cities/)
  const now = new Date().toLocaleTimeString('en-GB', { hour: '2-digit', timeZone: 'Asia/Tokyo' })
  assert.match(await reply('What time is it in Tokyo?'), new RegExp(`^It is ${now}:\\d\\d in Tokyo\\.$`))
  assert.match(textOf(await think([says('¿Qué hora es en Tokio?')])), /En Tokio son las \d\d:\d\d\.$/)
})

test('numbers said in words fill the fields of a tool', async () => {
  const [call] = await think([says('book table for people four at hour twenty one')], [transfer])
  assert.ok(call?.type === 'call')
  assert.deepEqual(JSON.parse(call.arguments), { people: 4, hour: 21 })
})

test('an answer that was cut short is not begun again with what it is', async () => {
  const messages: Message[] = [
    says('Hello'),
    { role: 'assistant', text: 'I am Switch' },
    says('What is my name?'),
  ]
  assert.equal(textOf(await think(messages)), 'You have not told me your name.')
})
