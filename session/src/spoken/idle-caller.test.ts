import assert from 'node:assert/strict'
import { test } from 'node:test'
import { speech } from '../../testing/scripted-sound.ts'
import { ScriptedTranscriber, ScriptedVoice } from '../../testing/scripted-vendors.ts'
import { SpokenTalk } from '../../testing/spoken-talk.ts'
import { plain, says, ScriptedModel } from '../../testing/talk.ts'

const talkOf = (answer: string) => {
  const model = new ScriptedModel('model', says(answer))
  const talk = new SpokenTalk(
    model,
    new ScriptedTranscriber('transcriber', 'A table.'),
    new ScriptedVoice('voice'),
  )
  talk.idleTimeoutMs = 1_000
  return talk
}

test('a caller who still speaks as the agent falls silent is not idle', async () => {
  const talk = talkOf('Sure.')
  const say = 'Hello there, this is the desk, we are open from nine to five, how can I help you today?'
  talk.instructions = { ...plain, greeting: { say } }
  talk.start()
  await talk.until('bot.speaking')
  talk.sound.says(speech(2_800))
  await talk.until('speech.started')
  await talk.until('speech.ended')
  assert.deepEqual(talk.types('speech.started', 'bot.finished', 'session.idleWarning', 'speech.ended'), [
    'speech.started',
    'bot.finished',
    'speech.ended',
  ])
  await talk.hangUp()
})

test('an agent that speaks for longer than anybody may be silent is not idle', async () => {
  const talk = talkOf('Well, this is a long story that began many years ago in a small town by the sea.')
  talk.start()
  talk.sound.says(speech(700))
  await talk.until('bot.finished')
  assert.deepEqual(talk.types('session.idleWarning', 'session.timeout'), [])
  assert.equal(await talk.ended, 'idle_timeout')
})

test('a caller who presses keys is not idle', async () => {
  const talk = talkOf('Sure.')
  talk.idleTimeoutMs = 4_000
  talk.start()
  const pressing = setInterval(() => talk.sound.presses('1'), 200)
  await talk.until('call.dtmf_received', 15)
  clearInterval(pressing)
  assert.deepEqual(talk.types('session.idleWarning'), [])
  await talk.hangUp()
})
