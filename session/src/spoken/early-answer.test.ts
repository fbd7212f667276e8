import assert from 'node:assert/strict'
import { test } from 'node:test'
import { speech } from '../../testing/scripted-sound.ts'
import { ScriptedTranscriber, ScriptedVoice } from '../../testing/scripted-vendors.ts'
import { SpokenTalk } from '../../testing/spoken-talk.ts'
import { calls, plain, says, ScriptedModel, toolNamed, type Deed } from '../../testing/talk.ts'

/** A caller whose transcribers have just said that they seem to be done. */
async function foreseen(deeds: Deed[], instructions = plain) {
  const transcriber = new ScriptedTranscriber('transcriber')
  const voice = new ScriptedVoice('voice')
  const model = new ScriptedModel('model', ...deeds)
  const talk = new SpokenTalk(model, transcriber, voice)
  talk.endOfTurn = 'stt'
  talk.instructions = instructions
  const session = talk.start()
  talk.sound.says(speech(700))
  await talk.until('speech.started')
  transcriber.hears({ type: 'turn', state: 'started' }, { type: 'final', text: 'A table.' })
  transcriber.hears({ type: 'turn', state: 'eager' })
  await talk.until('eager.turn')
  return { transcriber, voice, model, talk, session }
}

test('a model thinks as soon as the turn seems to be over, and says it once it is', async () => {
  const { transcriber, voice, model, talk } = await foreseen([says('Sure.')])
  assert.equal(model.asked.length, 1)
  await talk.until('speech.ended')
  assert.deepEqual(voice.asked, [])
  assert.deepEqual(talk.types('user.message', 'metrics', 'bot.speaking'), [])
  transcriber.hears({ type: 'turn', state: 'ended' })
  assert.equal((await talk.until('agent.message'))['text'], 'Sure.')
  assert.equal(model.asked.length, 1)
  assert.deepEqual(model.asked[0]?.messages.at(-1), { role: 'user', text: 'A table.' })
  await talk.untilTrue(() => talk.dataOf('metrics').some(({ stage }) => stage === 'turn'))
  assert.equal(talk.dataOf('metrics').filter(({ stage }) => stage === 'llm').length, 1)
  await talk.hangUp()
})

test('what was thought is dropped when the caller continues, and when the turn ends with other words', async () => {
  for (const goesOn of [true, false]) {
    const { transcriber, model, talk } = await foreseen([['silence'], says('For two, sure.')])
    assert.equal(model.open, 1)
    if (goesOn) {
      transcriber.hears({ type: 'turn', state: 'resumed' })
      await talk.until('turn.continued')
    }
    await talk.until('speech.ended') // else a caller who is heard late would interrupt the answer
    transcriber.hears({ type: 'final', text: 'For two.' }, { type: 'turn', state: 'ended' })
    assert.equal((await talk.until('agent.message'))['text'], 'For two, sure.')
    assert.equal(model.asked.length, 2)
    assert.deepEqual(model.asked[1]?.messages.at(-1), { role: 'user', text: 'A table. For two.' })
    assert.equal(model.open, 0)
    await talk.hangUp()
  }
})

test('what was thought is dropped when the app prepares the turn otherwise, and when it failed', async () => {
  const { transcriber, model, talk } = await foreseen([['silence'], says('Sure.')])
  talk.set = { prompt: 'Be very polite.' }
  transcriber.hears({ type: 'turn', state: 'ended' })
  await talk.until('agent.message')
  assert.equal(model.asked.length, 2)
  assert.match(String(model.asked[1]?.messages[0]?.text), /Be very polite/)
  await talk.hangUp()

  const failing = await foreseen([[new Error('gone')], says('Sure.')])
  failing.talk.models.push(new ScriptedModel('other', says('No.')))
  failing.transcriber.hears({ type: 'turn', state: 'ended' })
  assert.equal((await failing.talk.until('agent.message'))['text'], 'Sure.')
  assert.deepEqual(failing.talk.types('error', 'vendor.switched'), [])
  await failing.talk.hangUp()
})

test('a tool that the model asks for early runs once the turn is over, and once', async () => {
  const instructions = { ...plain, tools: [toolNamed('look')] }
  const { transcriber, talk } = await foreseen([[calls('look')], says('At eight.')], instructions)
  await talk.until('speech.ended')
  assert.deepEqual(talk.toolsAsked, [])
  transcriber.hears({ type: 'turn', state: 'ended' })
  assert.equal((await talk.until('agent.message'))['text'], 'At eight.')
  assert.equal(talk.toolsAsked.length, 1)
  await talk.hangUp()
})

test('nothing is generated ahead during a takeover, and generation stops at the end', async () => {
  const { model, talk, session } = await foreseen([['silence']])
  assert.equal(model.open, 1)
  session.mute()
  await talk.hangUp()
  assert.equal(model.open, 0)

  const ended = await foreseen([['silence']])
  await ended.talk.hangUp()
  assert.equal(ended.model.open, 0)
})
