import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveTalk } from '../../../testing/live-talk.ts'
import { textsOf, until } from '../../../testing/realtime-talk.ts'
import { speech } from '../../../testing/scripted-sound.ts'
import { plain, toolNamed } from '../../../testing/talk.ts'

const inTurn =
  <T>(...said: T[]) =>
  (): T =>
    said.shift() as T // a test that runs out of words fails for its missing entries
const words = Array.from({ length: 40 }, (_, at) => `w${at}`).join(' ')

test('a call on Gemini Live is greeted, heard and answered, and its log reads as of any call', async () => {
  const wanted: { instructions: string }[] = []
  const { talk, vendor } = await liveTalk({
    answer(asked) {
      wanted.push(asked)
      return { text: 'At eight.' }
    },
    transcript: inTurn('When do you open?'),
  })
  talk.instructions = { ...plain, greeting: { say: 'Hello and welcome.' } }
  talk.start()
  await talk.until('agent.message')
  talk.sound.says(speech(700))
  await talk.until('agent.message', 2)
  assert.deepEqual(talk.types('bot.speaking', 'bot.finished', 'agent.message', 'user.message', 'turn.end'), [
    'bot.speaking',
    'bot.finished',
    'agent.message',
    'user.message',
    'turn.end',
    'bot.speaking',
    'bot.finished',
    'agent.message',
  ])
  assert.deepEqual(
    talk.dataOf('agent.message').map(({ text, source }) => [text, source]),
    [
      ['Hello and welcome.', 'say'],
      ['At eight.', 'model'],
    ],
  )
  assert.deepEqual(textsOf(talk, 'user.message'), ['When do you open?'])
  const [asked] = talk.dataOf('user.message')
  assert.equal(talk.dataOf('agent.message')[1]?.['answers'], asked?.['messageId'])
  assert.match(String(wanted[0]?.instructions), /Be brief\./)
  const used = () => talk.dataOf('metrics').filter(({ input_audio_tokens: tokens }) => tokens === 60)
  await talk.untilTrue(() => used().length >= 2, 'the usage of both')
  assert.deepEqual(
    used().map(({ purpose, model }) => [purpose, model]),
    [
      ['say', 'gemini-3.8-live'],
      ['answered', 'gemini-3.8-live'],
    ],
  )
  assert.deepEqual(vendor.connections[0]?.errors, [])
  assert.equal(vendor.connections[0]?.strayBytes, 0)
  await talk.hangUp()
})

test('a tool that Gemini Live calls runs once, and the model receives its outcome before it continues', async () => {
  const calls = [{ id: 'c1', name: 'look', arguments: '{"day":"today"}' }]
  const { talk, vendor } = await liveTalk({
    answer: inTurn({ text: 'Let me look.', calls }, { text: 'At eight.' }),
    transcript: inTurn('When?'),
  })
  talk.instructions = { ...plain, tools: [toolNamed('look')] }
  talk.answerTool = () => 'open at eight'
  talk.start()
  await until(() => vendor.connections[0]?.setup.model !== undefined)
  talk.sound.says(speech(700))
  assert.equal((await talk.until('agent.message'))['text'], 'Let me look. At eight.')
  assert.deepEqual(
    talk.toolsAsked.map((asked) => asked.calls),
    [calls],
  )
  assert.deepEqual(vendor.connections[0]?.known.slice(-3), [
    'model: Let me look.',
    'tool: look: open at eight',
    'model: At eight.',
  ])
  await talk.hangUp()
})

test('a caller who talks over Gemini Live stops it: what was played is kept, and the model knows how much was heard (N-412, N-455)', async () => {
  const { talk, vendor } = await liveTalk({
    answer: inTurn({ text: words }, { text: 'Yes?' }),
    transcript: inTurn('Tell me.', 'Stop.'),
  })
  talk.start()
  await until(() => vendor.connections[0]?.setup.model !== undefined)
  talk.sound.says(speech(700))
  await talk.until('bot.word', 2)
  talk.sound.says(speech(900))
  await talk.until('bot.interrupted')
  const said = String((await talk.until('agent.message'))['text'])
  assert.ok(words.startsWith(said) && said.length < words.length, said)
  assert.equal((await talk.until('agent.message', 2))['text'], 'Yes?')
  assert.deepEqual(textsOf(talk, 'user.message'), ['Tell me.', 'Stop.'])
  const note = vendor.connections[0]?.known.find((one) => one.includes('only this was heard'))
  const heard = /“(?<heard>.*)”/.exec(note ?? '')?.groups?.['heard'] ?? ''
  assert.ok(words.startsWith(heard) && heard !== '', note)
  assert.ok(Math.abs(heard.split(' ').length - said.split(' ').length) <= 2, `${heard} against ${said}`)
  await talk.hangUp()
})

test('while a supervisor holds the call Gemini Live hears and does not answer, and says their words as they are', async () => {
  const { talk, vendor } = await liveTalk({
    answer: () => ({ text: 'I am not asked.' }),
    transcript: inTurn('Who is there?', 'And now?'),
  })
  const session = talk.start()
  await until(() => vendor.connections[0]?.setup.model !== undefined)
  session.mute()
  await session.say('This is Ana.', 'human', 'ana')
  talk.sound.says(speech(700))
  assert.equal((await talk.until('user.message'))['text'], 'Who is there?')
  assert.deepEqual(textsOf(talk, 'agent.message'), ['This is Ana.'])
  session.release()
  talk.sound.says(speech(700))
  assert.equal((await talk.until('agent.message', 2))['text'], 'I am not asked.')
  assert.equal(textsOf(talk, 'user.message').at(-1), 'And now?')
  assert.deepEqual(vendor.connections[0]?.errors, [])
  await talk.hangUp()
})

test('the caller does not notice that Gemini Live goes away: the call continues on another connection that knows what was said', async () => {
  const { talk, vendor } = await liveTalk({
    answer: inTurn({ text: 'At eight.' }, { text: 'At nine.' }),
    transcript: inTurn('When do you open?', 'And on Sunday?'),
  })
  talk.start()
  await until(() => vendor.connections[0]?.setup.model !== undefined)
  talk.sound.says(speech(700))
  await talk.until('agent.message')
  vendor.connections[0]?.goesAway()
  await until(() => vendor.connections[1]?.setup.model !== undefined)
  talk.sound.says(speech(700))
  assert.equal((await talk.until('agent.message', 2))['text'], 'At nine.')
  assert.deepEqual(vendor.connections[1]?.known, [
    'user: When do you open?',
    'model: At eight.',
    'user: And on Sunday?',
    'model: At nine.',
  ])
  assert.deepEqual(talk.dataOf('error'), [])
  assert.deepEqual(talk.dataOf('vendor.switched'), [])
  await talk.hangUp()
})

test('a connection to Gemini Live that breaks in the middle of an answer is begun anew with all that was said', async () => {
  const { talk, vendor } = await liveTalk({
    answer: inTurn({ text: 'At eight in the' }, { text: 'At eight.' }),
    transcript: inTurn('When?'),
    breaksAfter: [2],
  })
  talk.hears('Are you open today?').add('agent.message', { text: 'Yes.', messageId: 'm0', source: 'model' })
  talk.start()
  await until(() => vendor.connections[0]?.setup.model !== undefined)
  talk.sound.says(speech(700))
  assert.match(String((await talk.until('agent.message'))['text']), /At eight\.$/)
  const [, again] = vendor.connections
  assert.deepEqual(again?.setup.sessionResumption, {})
  assert.deepEqual(again?.known.slice(0, 3), ['user: Are you open today?', 'model: Yes.', 'user: When?'])
  assert.deepEqual(talk.dataOf('error'), [])
  await talk.hangUp()
})

test('a line hands the call over to an agent on Gemini Live, which knows what was said before', async () => {
  const { talk, vendor } = await liveTalk({
    answer: inTurn({ text: 'At eight.' }, { text: 'It is ready.' }),
    transcript: inTurn('When do you open?', 'Is my car ready?'),
  })
  const session = talk.start()
  await until(() => vendor.connections[0]?.setup.model !== undefined)
  talk.sound.says(speech(700))
  await talk.until('agent.message')
  await session.swap({ ...talk.spokenParts(), instructions: { ...plain, greeting: { say: 'Workshop.' } } })
  await talk.until('agent.message', 2)
  talk.sound.says(speech(700))
  assert.equal((await talk.until('agent.message', 3))['text'], 'It is ready.')
  assert.deepEqual(textsOf(talk, 'agent.message'), ['At eight.', 'Workshop.', 'It is ready.'])
  const known = vendor.connections[1]?.known ?? []
  assert.deepEqual(known.slice(0, 2), ['user: When do you open?', 'model: At eight.'])
  assert.deepEqual(known.slice(-2), ['user: Is my car ready?', 'model: It is ready.'])
  assert.deepEqual(
    vendor.connections.flatMap(({ errors }) => errors),
    [],
  )
  await talk.hangUp()
})
