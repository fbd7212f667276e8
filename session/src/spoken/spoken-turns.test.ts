import assert from 'node:assert/strict'
import { test } from 'node:test'
import { speech } from '../../testing/scripted-sound.ts'
import { ScriptedTranscriber, ScriptedVoice } from '../../testing/scripted-vendors.ts'
import { SpokenTalk } from '../../testing/spoken-talk.ts'
import { says, ScriptedModel, used, type Deed } from '../../testing/talk.ts'

function talkOf(deeds: Deed[], ...utterances: string[]) {
  const transcriber = new ScriptedTranscriber('transcriber', ...utterances)
  const voice = new ScriptedVoice('voice', 24_000)
  const model = new ScriptedModel('model', ...deeds)
  return { transcriber, voice, model, talk: new SpokenTalk(model, transcriber, voice) }
}

const long = 'This is a rather long answer that goes on and on so that somebody can talk over it. '

test('what a caller says is logged in order, as it is heard and as a turn (N-410, N-442, N-443, N-444, N-445, N-447)', async () => {
  const { talk, transcriber, model } = talkOf([says('Sure.')], 'I would like a table.')
  talk.start()
  talk.sound.says(speech(900))
  const started = await talk.until('speech.started')
  transcriber.hears({ type: 'partial', text: 'I would' }, { type: 'partial', text: 'I would like' })
  await talk.until('turn.end')
  assert.deepEqual(talk.types().slice(0, 6), [
    'speech.started',
    'user.speaking',
    'user.speaking',
    'speech.ended',
    'user.message',
    'turn.end',
  ])
  const [ended] = talk.dataOf('speech.ended')
  assert.deepEqual(Object.keys(started), ['callId', 'at'])
  assert.equal(started['callId'], 'call_1')
  assert.ok(Number(ended?.['at']) > Number(started['at']))
  assert.deepEqual(talk.dataOf('user.speaking'), [{ text: 'I would' }, { text: 'I would like' }])
  const messageId = talk.dataOf('user.message')[0]?.['messageId']
  assert.deepEqual(talk.dataOf('user.message'), [{ text: 'I would like a table.', messageId }])
  assert.equal(typeof messageId, 'string')
  assert.deepEqual(talk.dataOf('turn.end'), [{ text: 'I would like a table.', probability: 0.9 }])
  await talk.until('agent.message')
  assert.deepEqual(model.asked[0]?.messages.at(-1), { role: 'user', text: 'I would like a table.' })
  assert.equal(await talk.hangUp(), 'hangup')
})

test('an answer is logged as it is heard, word by word, under one id (N-411, N-449, N-451, N-452, N-454)', async () => {
  const { talk } = talkOf([[...says('Sure, ', 'a table ', 'for two.'), used(5, 6)]], 'A table please.')
  talk.start()
  talk.sound.says(speech(700))
  await talk.until('agent.message')
  const ofBot = talk.told.filter(({ type }) => type.startsWith('bot.') || type === 'agent.message')
  const { messageId } = talk.dataOf('bot.speaking')[0] ?? {}
  const words = ['Sure,', 'a', 'table', 'for', 'two.']
  assert.deepEqual(ofBot, [
    { type: 'bot.speaking', data: { messageId, text: '' } },
    ...words.map((word) => ({ type: 'bot.word', data: { messageId, word } })),
    { type: 'bot.finished', data: { messageId, durationMs: 500 } },
    {
      type: 'agent.message',
      data: {
        text: 'Sure, a table for two.',
        messageId,
        source: 'model',
        answers: talk.dataOf('user.message')[0]?.['messageId'],
      },
    },
  ])
  assert.equal(typeof messageId, 'string')
  assert.equal(await talk.hangUp(), 'hangup')
})

test('each turn reports what the caller waited for, and what transcribers, model and voice used', async () => {
  const { talk } = talkOf([[...says('Sure, a table.'), used(5, 6)]], 'A table please.')
  talk.start()
  talk.sound.says(speech(700))
  await talk.untilTrue(() => talk.dataOf('metrics').some(({ stage }) => stage === 'turn'))
  const of = (wanted: string) => talk.dataOf('metrics').find(({ stage }) => stage === wanted) ?? {}
  const { messageId } = talk.dataOf('bot.speaking')[0] ?? {}
  const { audio_s, ...stt } = of('stt')
  assert.deepEqual(stt, { stage: 'stt', vendor: 'transcriber', model: 'transcriber-1', key: 'lent' })
  assert.ok(Number(audio_s) > 0.7)
  assert.equal(of('llm')['output_tokens'], 6)
  const { first_audio_ms, total_ms, ...tts } = of('tts')
  assert.deepEqual(tts, {
    stage: 'tts',
    vendor: 'voice',
    model: 'voice-1',
    key: 'lent',
    characters: 14,
    messageId,
  })
  assert.ok(Number(first_audio_ms) <= Number(total_ms))
  const { stage, messageId: of1, ...timings } = of('turn')
  assert.deepEqual([stage, of1], ['turn', messageId])
  const steps = [
    'transcript_ms',
    'turn_end_ms',
    'first_token_ms',
    'first_clause_ms',
    'first_audio_ms',
    'heard_ms',
  ]
  assert.deepEqual(Object.keys(timings), steps)
  const waits = steps.map((step) => Number(timings[step]))
  assert.deepEqual(
    waits,
    waits.toSorted((a, b) => a - b),
  )
  assert.ok(Number(timings['turn_end_ms']) >= 290) // a timer may be a moment early
  await talk.hangUp()
})

test('a caller who talks over the agent stops it, and only what was played is kept (N-412, N-413, N-448, N-455)', async () => {
  const { talk, transcriber, model } = talkOf([says(long), says('Of course.')], 'Tell me.', 'No, stop.')
  talk.start()
  talk.sound.says(speech(700))
  await talk.until('bot.word', 3)
  talk.sound.says(speech(1_500))
  await talk.until('speech.started', 2)
  transcriber.hears({ type: 'partial', text: 'No' })
  await talk.until('turn.continued')
  const at = talk.types().indexOf('bot.interrupted')
  const [{ messageId, playedMs, reason } = {}] = talk.dataOf('bot.interrupted')
  assert.equal(reason, 'user_speech')
  const words = talk.dataOf('bot.word').map(({ word }) => String(word))
  assert.ok(
    Math.abs(Number(playedMs) - words.length * 100) <= 100,
    `${String(playedMs)} ms for ${words.length}`,
  )
  const [{ text } = {}] = talk.dataOf('agent.message')
  assert.equal(text, words.join(' '))
  assert.ok(long.startsWith(text) && text.length < long.length, text) // how much depends on the machine
  const [{ at: when, ...continued } = {}] = talk.dataOf('turn.continued')
  assert.deepEqual(continued, { callId: 'call_1', text: 'No' })
  assert.equal(typeof when, 'number')
  await talk.until('agent.message', 2)
  const later = talk.told
    .slice(at)
    .filter(({ type, data }) => type === 'bot.word' && data['messageId'] === messageId)
  assert.deepEqual(later, [])
  assert.deepEqual(talk.types('bot.interrupted', 'turn.continued', 'bot.finished'), [
    'bot.interrupted',
    'turn.continued',
    'bot.finished',
  ])
  assert.deepEqual(
    model.asked[1]?.messages.slice(1).map(({ role, text: said }) => [role, said]),
    [
      ['user', 'Tell me.'],
      ['assistant', text],
      ['user', 'No, stop.'],
    ],
  )
  await talk.hangUp()
})

test('a model that is still thinking aloud is stopped when the caller talks over it (N-413)', async () => {
  const { talk, model } = talkOf([[...says(long), 'silence']], 'Tell me.')
  talk.start()
  talk.sound.says(speech(700))
  await talk.until('bot.word', 2)
  assert.equal(model.open, 1)
  talk.sound.says(speech(1_500))
  await talk.until('bot.interrupted')
  await talk.until('turn.continued')
  await talk.hangUp()
  assert.equal(model.open, 0)
})

test('a caller who speaks for less than half a second does not stop the agent (S-465)', async () => {
  const { talk } = talkOf([says(long), says('Of course.')], 'Tell me.', 'For two.')
  talk.start()
  talk.sound.says(speech(700))
  await talk.until('bot.word', 3)
  talk.sound.says(speech(300))
  await talk.until('bot.finished', 2)
  await talk.until('agent.message', 2)
  assert.deepEqual(talk.dataOf('bot.interrupted'), [])
  // what was said meanwhile is answered after it
  assert.deepEqual(
    talk.dataOf('agent.message').map(({ text }) => text),
    [long.trim(), 'Of course.'],
  )
  await talk.hangUp()
})

test('min_interruption_ms is how long the caller must speak over the agent before it stops (S-073)', async () => {
  const { talk } = talkOf([says(long)], 'Tell me.')
  talk.config = { turn: { endpointing_ms: 300, min_interruption_ms: 150 } }
  talk.start()
  talk.sound.says(speech(700))
  await talk.until('bot.word', 3)
  talk.sound.says(speech(300))
  await talk.until('bot.interrupted')
  await talk.hangUp()
})

test('min_interruption_words is how many words it takes as well', async () => {
  const { talk, transcriber } = talkOf([says(long.repeat(3))], 'Tell me.')
  talk.config = { turn: { endpointing_ms: 300, min_interruption_words: 2 } }
  talk.start()
  talk.sound.says(speech(700))
  await talk.until('bot.word', 2)
  talk.sound.says(speech(2_000))
  await talk.until('speech.started', 2)
  transcriber.hears({ type: 'partial', text: 'No' })
  const words = talk.dataOf('bot.word').length
  await talk.until('bot.word', words + 9)
  assert.deepEqual(talk.dataOf('bot.interrupted'), [])
  transcriber.hears({ type: 'partial', text: 'No stop' })
  await talk.until('bot.interrupted')
  await talk.hangUp()
})

test('a caller who continues while the agent thinks is answered once, with all of it (N-448)', async () => {
  for (const moreMs of [300, 900]) await goesOn(moreMs)
})

async function goesOn(moreMs: number) {
  const { talk, model } = talkOf([['silence'], says('Certainly.')], 'A table.', 'For two, please.')
  talk.start()
  talk.sound.says(speech(700))
  await talk.until('turn.end')
  talk.sound.says(speech(moreMs))
  await talk.until('agent.message')
  assert.equal(talk.types('turn.continued').length, 1)
  assert.deepEqual(talk.dataOf('bot.interrupted'), [])
  assert.deepEqual(
    talk.dataOf('user.message').map(({ text }) => text),
    ['A table.', 'For two, please.'],
  )
  assert.deepEqual(
    model.asked
      .at(-1)
      ?.messages.slice(1)
      .map(({ text }) => text),
    ['A table.', 'For two, please.'],
  )
  await talk.hangUp()
}

test('a caller in the middle of a sentence is waited for longer, and it is one turn', async () => {
  const { talk } = talkOf([says('Yes.')], 'I would like a', 'table for two.')
  talk.config = { turn: { endpointing_ms: 100 } }
  talk.start()
  talk.sound.says(speech(700))
  await talk.until('speech.ended')
  talk.sound.says(new Int16Array(6_400))
  talk.sound.says(speech(700))
  const { text } = await talk.until('user.message')
  assert.equal(text, 'I would like a table for two.')
  assert.equal(talk.types('speech.ended').length, 2)
  await talk.hangUp()
})

test('an agent that stopped for a cough continues where it stopped', async () => {
  const { talk } = talkOf([says(long)], 'Tell me.')
  talk.start()
  talk.sound.says(speech(700))
  await talk.until('bot.word', 3)
  talk.sound.says(speech(900))
  await talk.until('bot.interrupted')
  await talk.until('bot.finished')
  await talk.until('agent.message', 2)
  const said = talk.dataOf('agent.message').map(({ text }) => text)
  assert.equal(said.join(' '), long.trim())
  assert.equal(talk.dataOf('user.message').length, 1)
  await talk.hangUp()
})
