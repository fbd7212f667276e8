import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refused, silent } from '@switchroom/kit/failures'
import { realtimeTalk, textsOf, until } from '../../../testing/realtime-talk.ts'
import { speech } from '../../../testing/scripted-sound.ts'
import { ScriptedRealtime } from '../../../testing/scripted-realtime.ts'
import { ScriptedTranscriber, ScriptedVoice } from '../../../testing/scripted-vendors.ts'
import { SpokenTalk } from '../../../testing/spoken-talk.ts'
import { plain, says, ScriptedModel } from '../../../testing/talk.ts'

test('a model that breaks off is asked anew with all that was said, and by another vendor if there is one', async () => {
  const { talk, model } = realtimeTalk({ text: 'At eight in the', breaksAfter: 2 })
  const other = new ScriptedRealtime('other', { text: 'At nine.' })
  talk.realtime = [model, other]
  talk.hears('Are you open today?').add('agent.message', { text: 'Yes.', messageId: 'm0', source: 'model' })
  talk.start()
  await until(() => model.conversations.length > 0)
  model.hears('When?')
  const { text } = await talk.until('agent.message')
  assert.match(String(text), /At nine\.$/)
  assert.deepEqual(talk.dataOf('vendor.switched'), [
    { stage: 'llm', vendor: 'live', state: 'down', serves: 'other' },
  ])
  assert.deepEqual(
    other.asked('tell').map(({ message: { role, text: said } }) => [role, said]),
    [
      ['user', 'Are you open today?'],
      ['assistant', 'Yes.'],
      ['user', 'When?'],
    ],
  )
  assert.equal(talk.dataOf('metrics').find(({ stage }) => stage === 'llm')?.['vendor'], 'other')
  await talk.hangUp()
})

test('a greeting that breaks off is said to its end by the next model', async () => {
  const { talk, model } = realtimeTalk()
  const other = new ScriptedRealtime('other')
  talk.realtime = [model, other]
  model.breaksSaying = 3
  talk.instructions = { ...plain, greeting: { say: 'Hello and welcome to the house of tables.' } }
  talk.start()
  await talk.until('agent.message')
  const [rest] = other.asked('say').map(({ text }) => text)
  assert.ok(rest !== undefined && 'Hello and welcome to the house of tables.'.endsWith(rest), rest)
  assert.equal(textsOf(talk, 'agent.message')[0], 'Hello and welcome to the house of tables.')
  await talk.hangUp()
})

test('a model that says nothing leaves the caller to the next one in time', async () => {
  const { talk, model } = realtimeTalk({ isSilent: true })
  const other = new ScriptedRealtime('other', { text: 'At nine.' })
  talk.realtime = [model, other]
  talk.instructions = { ...plain, llmTimeoutMs: 1_000 }
  talk.start()
  await until(() => model.conversations.length > 0)
  model.hears('When?')
  assert.equal((await talk.until('agent.message'))['text'], 'At nine.')
  await talk.hangUp()
})

test('an answer that does not come in time is logged, and the caller is asked to say it again', async () => {
  const { talk, model } = realtimeTalk({ isSilent: true })
  talk.instructions = { ...plain, llmTimeoutMs: 500 }
  talk.start()
  await until(() => model.conversations.length > 0)
  model.hears('When?')
  assert.equal((await talk.until('agent.message'))['text'], 'Sorry, could you say that again?')
  assert.partialDeepStrictEqual(talk.dataOf('error')[0], { code: 'llm_timeout', vendor: 'live' })
  await talk.hangUp()
})

test('an answer that fails is asked for again, and then the caller is asked to say it again', async () => {
  const { talk, model } = realtimeTalk({ fails: 'no more today' }, { text: 'At eight.' })
  talk.start()
  await until(() => model.conversations.length > 0)
  model.hears('When?')
  assert.equal((await talk.until('agent.message'))['text'], 'At eight.')
  await talk.hangUp()

  const fails = { fails: 'no more today' }
  const { talk: worse, model: broken } = realtimeTalk(fails, fails, fails)
  worse.start()
  await until(() => broken.conversations.length > 0)
  broken.hears('When?')
  assert.equal((await worse.until('agent.message'))['text'], 'Sorry, could you say that again?')
  assert.deepEqual(worse.dataOf('error')[0], {
    code: 'llm_failed',
    detail: 'live: no more today',
    vendor: 'live',
  })
  await worse.hangUp()
})

test('a call whose model cannot be reached has failed, and the log says why', async () => {
  const { talk, model } = realtimeTalk()
  model.broken = refused('the key is not valid')
  talk.instructions = { ...plain, greeting: { say: 'Hello.' } }
  talk.start()
  assert.equal(await talk.ended, 'failed')
  assert.deepEqual(talk.dataOf('error')[0], {
    code: 'llm_failed',
    detail: 'the key is not valid',
    vendor: 'live',
  })
})

test('a connection that breaks in silence is opened again, and the call continues', async () => {
  const { talk, model } = realtimeTalk({ text: 'At eight.' })
  talk.start()
  await until(() => model.conversations.length > 0)
  model.tells(silent('the session is too old'))
  await until(() => model.conversations.length > 1)
  model.hears('When?')
  assert.equal((await talk.until('agent.message'))['text'], 'At eight.')
  assert.deepEqual(talk.dataOf('error'), [])
  await talk.hangUp()
})

test('a line hands the call over from transcribers and voice to a realtime model, and back', async () => {
  const transcriber = new ScriptedTranscriber('transcriber', 'Is it ready?')
  const talk = new SpokenTalk(
    new ScriptedModel('model', says('One moment.')),
    transcriber,
    new ScriptedVoice('voice'),
  )
  const model = new ScriptedRealtime('live', { text: 'It is ready.' })
  talk.instructions = { ...plain, greeting: { say: 'Front desk.' } }
  const session = talk.start()
  await talk.until('agent.message')
  const staged = talk.spokenParts()
  const workshop = { ...plain, greeting: { say: 'Workshop.' } }
  await session.swap({
    ...staged,
    instructions: workshop,
    transcribers: [],
    voices: [],
    models: [],
    realtime: [model],
  })
  await talk.until('agent.message', 2)
  const { heardBytes } = transcriber
  model.hears('Is my car ready?')
  await talk.until('agent.message', 3)
  assert.equal(transcriber.heardBytes, heardBytes)
  await session.swap({ ...staged, instructions: { ...plain, greeting: { say: 'Desk again.' } } })
  await talk.until('agent.message', 4)
  talk.sound.says(speech(700))
  await talk.until('agent.message', 5)
  assert.deepEqual(textsOf(talk, 'agent.message'), [
    'Front desk.',
    'Workshop.',
    'It is ready.',
    'Desk again.',
    'One moment.',
  ])
  assert.equal(model.conversations.length, 1)
  await talk.hangUp()
})
