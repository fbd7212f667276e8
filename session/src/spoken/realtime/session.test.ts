import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silent } from '@switchroom/kit/failures'
import { realtimeTalk, textsOf, until } from '../../../testing/realtime-talk.ts'
import { sampleRate, speech } from '../../../testing/scripted-sound.ts'
import { plain, toolNamed } from '../../../testing/talk.ts'

const call = (name: string, given = '{}') => ({ id: `id_of_${name}`, name, arguments: given })

test('a realtime model is asked to say the greeting as it is, hears the party and answers them, and the log reads as of any call', async () => {
  const { talk, model } = realtimeTalk({ text: 'At eight.' })
  talk.instructions = { ...plain, greeting: { say: 'Hello and welcome.' } }
  talk.start()
  await talk.until('agent.message')
  assert.deepEqual(
    model.asked('say').map(({ text }) => text),
    ['Hello and welcome.'],
  )
  model.hears('When do you open?')
  await talk.until('agent.message', 2)
  const order = ['bot.speaking', 'bot.finished', 'agent.message', 'user.message', 'turn.end']
  assert.deepEqual(talk.types(...order), [
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
  const [asked] = talk.dataOf('user.message')
  assert.equal(talk.dataOf('agent.message')[1]?.['answers'], asked?.['messageId'])
  assert.deepEqual(
    talk.dataOf('bot.word').map(({ word }) => word),
    ['Hello', 'and', 'welcome.', 'At', 'eight.'],
  )
  assert.match(String(model.asked('reply')[0]?.instructions), /Be brief\./)
  await until(() => model.heardBytes > 24_000)
  await talk.hangUp()
})

test('words that come after the answer has begun are still logged before it', async () => {
  const { talk, model } = realtimeTalk({ text: 'At eight in the morning.' })
  talk.start()
  await until(() => model.conversations.length > 0)
  const turn = model.hears()
  await until(() => talk.sound.playedMs > 300)
  assert.deepEqual(talk.types('bot.speaking'), [])
  model.tells({ type: 'final', turn, text: 'When do you open?' })
  await talk.until('agent.message')
  assert.deepEqual(talk.types('user.message', 'bot.speaking', 'agent.message'), [
    'user.message',
    'bot.speaking',
    'agent.message',
  ])
  await talk.hangUp()
})

test('an answer is logged although the words before it were not transcribed', async () => {
  const { talk, model } = realtimeTalk({ text: 'Pardon?' })
  talk.start()
  await until(() => model.conversations.length > 0)
  model.hears(null)
  assert.equal((await talk.until('agent.message'))['text'], 'Pardon?')
  assert.deepEqual(talk.dataOf('user.message'), [])
  await talk.hangUp()
})

test('each answer reports its tokens and those of sound, and how long the party waited', async () => {
  const { talk, model } = realtimeTalk({ text: 'At eight.' })
  talk.instructions = { ...plain, greeting: { say: 'Hello.' } }
  talk.start()
  await talk.until('agent.message')
  talk.sound.says(speech(700))
  await talk.until('speech.ended')
  model.hears('When?')
  await talk.until('metrics', 3)
  const [greeted, answered, turn] = talk.dataOf('metrics')
  const cost = { vendor: 'live', model: 'live-1', key: 'lent', input_tokens: 90, output_tokens: 40 }
  for (const block of [greeted, answered]) {
    assert.partialDeepStrictEqual(block, {
      stage: 'llm',
      ...cost,
      input_audio_tokens: 60,
      output_audio_tokens: 30,
    })
  }
  assert.deepEqual([greeted?.['purpose'], answered?.['purpose']], ['say', undefined])
  assert.equal(turn?.['stage'], 'turn')
  for (const name of ['transcript_ms', 'turn_end_ms', 'first_token_ms', 'first_audio_ms', 'heard_ms'])
    assert.equal(typeof turn?.[name], 'number', name)
  await talk.hangUp()
})

test('a caller who talks over the answer stops it: what was played is kept, and the model receives how much it was (N-412, N-455)', async () => {
  const words = Array.from({ length: 40 }, (_, at) => `w${at}`).join(' ')
  const { talk, model } = realtimeTalk({ text: words }, { text: 'Yes?' })
  talk.start()
  await until(() => model.conversations.length > 0)
  model.hears('Tell me.')
  await talk.until('bot.word', 2)
  talk.sound.says(speech(900))
  const interrupted = await talk.until('bot.interrupted')
  const { playedMs } = interrupted
  const said = String((await talk.until('agent.message'))['text'])
  assert.ok(words.startsWith(said) && said.length < words.length, said)
  assert.deepEqual(Object.keys(interrupted).toSorted(), ['messageId', 'playedMs', 'reason'])
  assert.deepEqual(talk.types('bot.interrupted', 'turn.continued'), ['bot.interrupted', 'turn.continued'])
  const [cut] = model.asked('cut')
  assert.equal(cut?.item, 'item_of_reply_1')
  assert.ok(Math.abs((cut?.heardMs ?? 0) - Number(playedMs)) < 2)
  model.hears('Stop.')
  assert.equal((await talk.until('agent.message', 2))['text'], 'Yes?')
  await talk.hangUp()
})

test('an answer that is cut short while the model makes it is stopped there, and costs what it cost', async () => {
  const words = Array.from({ length: 60 }, (_, at) => `w${at}`).join(' ')
  const { talk, model } = realtimeTalk({ text: words })
  model.betweenWordsMs = 60
  talk.start()
  await until(() => model.conversations.length > 0)
  model.hears('Tell me.')
  await talk.until('bot.word', 2)
  talk.sound.says(speech(900))
  await talk.until('bot.interrupted')
  await talk.untilTrue(() => talk.dataOf('metrics').some(({ purpose }) => purpose === 'cut_short'))
  assert.deepEqual(
    model.asked('stop').map(({ reply }) => reply),
    ['reply_1'],
  )
  await talk.hangUp()
})

test('a greeting is not talked over: what the caller said meanwhile is answered after it', async () => {
  const { talk, model } = realtimeTalk({ text: 'At eight.' })
  talk.instructions = { ...plain, greeting: { say: 'Hello and welcome to the house of tables, dear guest.' } }
  talk.start()
  await talk.until('bot.word', 2)
  talk.sound.says(speech(700))
  await talk.until('speech.ended')
  model.hears('When?')
  await talk.until('agent.message', 2)
  assert.deepEqual(talk.dataOf('bot.interrupted'), [])
  assert.deepEqual(textsOf(talk, 'agent.message'), [
    'Hello and welcome to the house of tables, dear guest.',
    'At eight.',
  ])
  await talk.hangUp()
})

test('a model receives when the party’s voice begins and was quiet for long enough, and one that is connected meanwhile too', async () => {
  const { talk, model } = realtimeTalk()
  talk.config = { turn: { endpointing_ms: 600 } }
  talk.start()
  await until(() => model.conversations.length > 0)
  talk.sound.says(speech(2_500))
  await until(() => model.asked('speech').length === 1)
  model.tells(silent('it broke off'))
  await until(() => model.asked('speech').length === 3)
  assert.deepEqual(
    model.conversations.map((asked) => asked.map((one) => one.type === 'speech' && one.state)),
    [['started'], ['started', 'ended']],
  )
  await talk.hangUp()
})

test('a reply whose usage the vendor says later has metrics of what it used', async () => {
  const { talk, model } = realtimeTalk({ text: 'At eight.' })
  model.saysUsageLater = true
  talk.start()
  await until(() => model.conversations.length > 0)
  model.hears('When?')
  await talk.until('agent.message')
  const blocks = () => talk.dataOf('metrics').filter(({ stage }) => stage === 'llm')
  await talk.untilTrue(() => blocks().length === 2, 'two blocks')
  const tokens = Object.fromEntries(
    blocks().map(({ purpose, input_tokens }) => [purpose ?? 'answer', input_tokens]),
  )
  assert.deepEqual(tokens, { answer: 0, answered: 90 })
  await talk.hangUp()
})

test('a tool that the model calls runs once, and the model receives its outcome before it continues', async () => {
  const { talk, model } = realtimeTalk(
    { text: 'Let me look.', calls: [call('look', '{"day":"today"}')] },
    { text: 'At eight.' },
  )
  talk.instructions = { ...plain, tools: [toolNamed('look')] }
  talk.answerTool = () => 'open at eight'
  talk.start()
  await until(() => model.conversations.length > 0)
  model.hears('When?')
  assert.equal((await talk.until('agent.message'))['text'], 'Let me look. At eight.')
  assert.deepEqual(
    talk.toolsAsked.map(({ calls }) => calls),
    [[call('look', '{"day":"today"}')]],
  )
  const [conversation = []] = model.conversations
  assert.deepEqual(
    conversation.map((asked) => (asked.type === 'tell' ? asked.message : asked.type)),
    ['reply', { role: 'tool', call: 'id_of_look', name: 'look', text: 'open at eight' }, 'reply'],
  )
  assert.deepEqual(
    model.asked('reply').map(({ tools }) => tools.map(({ name }) => name)),
    [['look'], ['look']],
  )
  await talk.hangUp()
})

test('the app is asked to prepare every answer, and what it says holds from then on', async () => {
  const { talk, model } = realtimeTalk({ text: 'One.' }, { text: 'Two.' })
  talk.start()
  await until(() => model.conversations.length > 0)
  model.hears('First.')
  await talk.until('agent.message')
  talk.set = { context: 'The shop is closed.' }
  model.hears('Second.')
  await talk.until('agent.message', 2)
  assert.deepEqual(talk.generations, [1, 2])
  const [first, second] = model.asked('reply').map(({ instructions }) => instructions)
  assert.doesNotMatch(String(first), /closed/)
  assert.match(String(second), /The shop is closed\./)
  await talk.hangUp()
})

test('the model receives how the words of the lexicon are said', async () => {
  const { talk, model } = realtimeTalk({ text: 'At nine.' })
  talk.instructions = { ...plain, lexicon: { said: [{ word: 'SQL', spoken: 'sequel' }], heard: [] } }
  talk.start()
  await until(() => model.conversations.length > 0)
  model.hears('When is the course?')
  await talk.until('agent.message')
  assert.match(String(model.asked('reply')[0]?.instructions), /SQL is said “sequel”\./)
  await talk.hangUp()
})

test('an agent that stopped for a sound in which the model heard no speech continues where it stopped', async () => {
  const words = Array.from({ length: 30 }, (_, at) => `w${at}`)
  const { talk, model } = realtimeTalk({ text: words.join(' ') })
  talk.start()
  await until(() => model.conversations.length > 0)
  model.hears('Tell me.')
  await talk.until('bot.word', 2)
  talk.sound.says(speech(900))
  await talk.until('bot.interrupted')
  await talk.until('agent.message', 2)
  assert.equal(textsOf(talk, 'agent.message').join(' '), words.join(' '))
  assert.equal(model.asked('reply').length, 1)
  await talk.hangUp()
})

test('the agent hangs up after its last words were heard', async () => {
  const { talk, model } = realtimeTalk({ text: 'Goodbye then.', calls: [call('hang_up')] })
  talk.instructions = { ...plain, hangup: { when: 'the caller says goodbye' } }
  talk.start()
  await until(() => model.conversations.length > 0)
  model.hears('Bye.')
  assert.equal(await talk.ended, 'hangup')
  assert.deepEqual(textsOf(talk, 'agent.message'), ['Goodbye then.'])
  assert.deepEqual(talk.dataOf('bot.interrupted'), [])
})

test('a supervisor’s words are said by the model as they are; while they hold the call it is heard and not answered', async () => {
  const { talk, model } = realtimeTalk({ text: 'Yes.' })
  const session = talk.start()
  await until(() => model.conversations.length > 0)
  session.mute()
  await session.say('This is Ana.', 'human', 'ana')
  model.hears('Who is there?')
  await talk.until('user.message')
  assert.deepEqual(
    talk.dataOf('agent.message').map(({ text, source, by }) => [text, source, by]),
    [['This is Ana.', 'human', 'ana']],
  )
  session.whisper('Offer a discount.')
  session.release()
  model.hears('And now?')
  await talk.until('agent.message', 2)
  assert.equal(model.asked('reply').length, 1)
  assert.match(String(model.asked('reply')[0]?.instructions), /Offer a discount\./)
  await talk.hangUp()
})

test('a call on a realtime model is recorded, warned about when idle, and ends', async () => {
  const { talk } = realtimeTalk()
  const recorded: Int16Array[] = []
  talk.instructions = { ...plain, greeting: { say: 'Hello and welcome.' } }
  talk.config = { record: true }
  talk.record = (samples, rate) => {
    assert.equal(rate, sampleRate)
    recorded.push(samples.slice())
  }
  talk.idleTimeoutMs = 400
  talk.start()
  assert.equal(await talk.ended, 'idle_timeout')
  assert.deepEqual(talk.types('agent.message', 'session.idleWarning', 'session.timeout'), [
    'agent.message',
    'session.idleWarning',
    'session.timeout',
  ])
  const isLoud = (samples: Int16Array) => samples.some((sample, at) => at % 2 === 1 && Math.abs(sample) > 500)
  assert.ok(recorded.some(isLoud), 'what the model said is on the right')
})
