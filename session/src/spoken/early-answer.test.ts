import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { speech } from '../../testing/scripted-sound.ts'
import { ScriptedTranscriber, ScriptedVoice } from '../../testing/scripted-vendors.ts'
import { SpokenTalk } from '../../testing/spoken-talk.ts'
import { calls, plain, says, ScriptedModel, toolNamed, used, type Deed } from '../../testing/talk.ts'
import { CallLog } from './call-log.ts'
import { ModelAnswers } from './model-answers.ts'

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

/** A caller who has said this and is silent, and whose turn ends later. */
async function silent(deeds: Deed[], ...utterances: string[]) {
  const transcriber = new ScriptedTranscriber('transcriber', ...utterances)
  const model = new ScriptedModel('model', ...deeds)
  const talk = new SpokenTalk(model, transcriber, new ScriptedVoice('voice'))
  talk.config = { turn: { endpointing_ms: 3_000 } }
  talk.start()
  talk.sound.says(speech(700))
  await talk.until('speech.ended')
  return { talk, model, transcriber }
}

const asked = async (model: ScriptedModel, times: number) => {
  while (model.asked.length < times) await sleep(5)
}

const early = (talk: SpokenTalk) => talk.dataOf('metrics').filter(({ purpose }) => purpose === 'early')

test('a model thinks while the caller is silent and says it once the turn is over, and is paid once', async () => {
  const { talk, model } = await silent([[...says('Sure.'), used(10, 2)]], 'A table.')
  assert.equal((await talk.until('agent.message'))['text'], 'Sure.')
  await talk.untilTrue(() => talk.dataOf('metrics').some(({ stage }) => stage === 'turn'))
  assert.equal(model.asked.length, 1)
  const { first_token_ms, turn_end_ms } = talk.dataOf('metrics').find(({ stage }) => stage === 'turn') ?? {}
  assert.ok(Number(turn_end_ms) >= 2_900)
  assert.ok(Number(first_token_ms) >= Number(turn_end_ms))
  assert.deepEqual(early(talk), [])
  assert.equal(talk.dataOf('metrics').filter(({ stage }) => stage === 'llm').length, 1)
  await talk.hangUp()
})

test('what was thought for nothing is in the usage, and no generation of the call', async () => {
  const deeds = [[...says('Sure.'), used(10, 2)], says('For two, sure.')]
  const { talk, model, transcriber } = await silent(deeds, 'A table.')
  await asked(model, 1)
  transcriber.hears({ type: 'final', text: 'For two.' })
  assert.equal((await talk.until('agent.message'))['text'], 'For two, sure.')
  assert.equal(model.asked.length, 2)
  assert.deepEqual(early(talk), [
    {
      stage: 'llm',
      purpose: 'early',
      vendor: 'model',
      model: 'model-large',
      key: 'yours',
      input_tokens: 10,
      output_tokens: 2,
    },
  ])
  assert.deepEqual(talk.generations, [1])
  await talk.hangUp()
})

test('after three guesses in a row for nothing no other is made, and a vendor may still say that a turn seems over', async () => {
  const model = new ScriptedModel('model', [...says('Sure.'), used(10, 2)])
  const talk = new SpokenTalk(model, new ScriptedTranscriber('transcriber'), new ScriptedVoice('voice'))
  const parts = talk.spokenParts()
  const log = new CallLog([], parts.keep, () => assert.fail())
  const thinking = new ModelAnswers(parts, { log, realtime: () => null, inOrder: (act) => act() })
  for (const text of ['One.', 'Two.', 'Three.', 'Four.', 'Five.']) thinking.expect(text)
  assert.equal(model.asked.length, 3)
  assert.equal(early(talk).length, 3)
  thinking.foresee('Six.')
  assert.equal(model.asked.length, 4)
  thinking.foresee(null)
})
