import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refused } from '@switchroom/kit/failures'
import { calls, never, ScriptedModel, says, Talk, toolNamed } from '../testing/talk.ts'
import { isOpened, runOpening } from './opening.ts'

function opening(
  greeting: Talk['instructions']['greeting'],
  model = new ScriptedModel('alpha', says('Hi.')),
) {
  const talk = new Talk(model)
  talk.instructions = { ...talk.instructions, greeting }
  return { talk, model, open: () => runOpening(talk.parts(), never) }
}

test('without a greeting nothing is said and no model is asked', async () => {
  const { talk, model, open } = opening(null)
  assert.deepEqual(await open(), { ends: false })
  assert.deepEqual([talk.entries, model.asked, isOpened(talk.entries)], [[], [], false])
})

test('a greeting to say is said word for word, without a model', async () => {
  const { talk, model, open } = opening({ say: 'Welcome to Acme.', allow_interruptions: true })
  assert.deepEqual(await open(), { ends: false })
  assert.deepEqual(talk.of('agent.message'), [{ text: 'Welcome to Acme.', messageId: 'm1', source: 'say' }])
  assert.deepEqual([model.asked, isOpened(talk.entries)], [[], true])
})

test('a greeting to reply is the model’s own words on that instruction', async () => {
  const { talk, model, open } = opening({ reply: 'Ask for their name.' })
  await open()
  const text = 'Be brief.\n\n# Your first words\n\nAsk for their name.'
  assert.deepEqual(model.asked, [{ messages: [{ role: 'system', text }] }])
  assert.deepEqual(talk.of('agent.message'), [{ text: 'Hi.', messageId: 'm1', source: 'model' }])
  assert.deepEqual([talk.generations, isOpened(talk.entries)], [[1], true])
})

test('an empty reply lets the model open on its prompt alone (S-068)', async () => {
  const { talk, model, open } = opening({ reply: '' })
  await open()
  assert.deepEqual(model.asked, [{ messages: [{ role: 'system', text: 'Be brief.' }] }])
  assert.deepEqual(talk.said, ['Hi.'])
})

test('a model may use tools before its first words', async () => {
  const { talk, open } = opening(
    { reply: '' },
    new ScriptedModel('alpha', [calls('weather')], says('It rains.')),
  )
  talk.instructions = { ...talk.instructions, tools: [toolNamed('weather')] }
  await open()
  assert.deepEqual([talk.toolsAsked.length, talk.said], [1, ['It rains.']])
})

test('when no model opens, the caller is not asked to repeat', async () => {
  const { talk, open } = opening({ reply: '' }, new ScriptedModel('alpha', [refused('no')]))
  assert.deepEqual(await open(), { ends: false })
  assert.deepEqual(talk.of('error'), [{ code: 'llm_failed', detail: 'alpha: no', vendor: 'alpha' }])
  assert.deepEqual([talk.said, isOpened(talk.entries)], [[], true])
})

test('a call that ended before its greeting says nothing', async () => {
  const { talk } = opening({ say: 'Welcome.' })
  const reason = new Error('ended')
  await assert.rejects(runOpening(talk.parts(), AbortSignal.abort(reason)), reason)
  assert.deepEqual(talk.entries, [])
})
