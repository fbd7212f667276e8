import assert from 'node:assert/strict'
import { test } from 'node:test'
import { speech } from '../../testing/scripted-sound.ts'
import { ScriptedTranscriber, ScriptedVoice } from '../../testing/scripted-vendors.ts'
import { SpokenTalk } from '../../testing/spoken-talk.ts'
import { plain, says, ScriptedModel } from '../../testing/talk.ts'

const story = 'Well, this is a long story that began many years ago in a small town by the sea.'

/** A call whose agent is in the middle of a long answer. */
async function amidAnAnswer() {
  const model = new ScriptedModel('model', says(story))
  const talk = new SpokenTalk(
    model,
    new ScriptedTranscriber('transcriber', 'Tell me.'),
    new ScriptedVoice('voice'),
  )
  const session = talk.start()
  talk.sound.says(speech(700))
  await talk.until('bot.word', 2)
  return { talk, session }
}

/** Of two messages the first was interrupted, and the second is said after it. */
function assertCutFor(talk: SpokenTalk, text: string) {
  assert.deepEqual(
    talk.dataOf('bot.interrupted').map(({ reason }) => reason),
    ['api'],
  )
  const [heard, ...after] = talk.dataOf('agent.message').map((message) => String(message['text']))
  assert.ok(heard && story.startsWith(heard) && heard !== story, heard)
  assert.deepEqual(after, [text])
}

test('what others want said cuts the model short, also without a takeover', async () => {
  const { talk, session } = await amidAnAnswer()
  await session.say('Please hold the line.')
  assertCutFor(talk, 'Please hold the line.')
  await talk.hangUp()
})

test('what an agent is saying is cut short as the call is handed over, and the next one greets', async () => {
  const { talk, session } = await amidAnAnswer()
  const greeting = { say: 'Workshop, hello.' }
  await session.swap({ ...talk.spokenParts(), instructions: { ...plain, greeting } })
  await talk.until('agent.message', 2)
  assertCutFor(talk, 'Workshop, hello.')
  await talk.hangUp()
})
