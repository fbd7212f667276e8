import assert from 'node:assert/strict'
import { test } from 'node:test'
import { speech } from '../../testing/scripted-sound.ts'
import { ScriptedTranscriber, ScriptedVoice } from '../../testing/scripted-vendors.ts'
import { SpokenTalk } from '../../testing/spoken-talk.ts'
import { plain, says, ScriptedModel } from '../../testing/talk.ts'

function talkOf(model: ScriptedModel) {
  const transcriber = new ScriptedTranscriber('transcriber')
  const talk = new SpokenTalk(model, transcriber, new ScriptedVoice('voice'))
  talk.endOfTurn = 'stt'
  return { talk, transcriber }
}

const seemsDone = [
  { type: 'turn', state: 'started' },
  { type: 'final', text: 'A table.' },
  { type: 'turn', state: 'eager' },
] as const

test('an answer generated ahead is dropped at a takeover, and none is generated during it', async () => {
  const model = new ScriptedModel('model', ['silence'])
  const { talk, transcriber } = talkOf(model)
  const session = talk.start()
  talk.sound.says(speech(700))
  await talk.until('speech.started')
  transcriber.hears(...seemsDone)
  await talk.until('eager.turn')
  assert.equal(model.open, 1)
  session.mute()
  await session.say('This is Ana.', 'human', 'ana@example.com')
  assert.equal(model.open, 0)
  transcriber.hears({ type: 'turn', state: 'ended' }, ...seemsDone)
  await talk.until('eager.turn', 2)
  assert.equal(model.asked.length, 1)
  await talk.hangUp()
})

test('a model does not open a call that was taken over before anything is said', async () => {
  const model = new ScriptedModel('model', says('Hello, this is the desk.'))
  const { talk } = talkOf(model)
  talk.instructions = { ...plain, greeting: { reply: 'Say hello.' } }
  const session = talk.start()
  session.mute()
  await session.say('This is Ana.', 'human', 'ana@example.com')
  talk.sound.says(speech(700))
  await talk.until('speech.ended')
  assert.deepEqual(model.asked, [])
  await talk.hangUp()
})
