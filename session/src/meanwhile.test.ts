import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { calls, never, says, ScriptedModel, Talk, toolNamed } from '../testing/talk.ts'
import { runTurn } from './turn.ts'

const words = 'One moment, please.'
const slow = { ...toolNamed('slow'), while: words, timeoutMs: 5000 }

function talkOf(...deeds: ConstructorParameters<typeof ScriptedModel>[1][]) {
  const model = new ScriptedModel('alpha', ...deeds)
  const talk = new Talk(model).hears('Is there a table?', 'u1')
  talk.instructions = { ...talk.instructions, tools: [toolNamed('quick'), slow] }
  return { model, talk }
}

/** Waits with the tools until the words are said, or for a while in which they would be. */
const untilSaid = (talk: Talk) => async (step: string) => {
  if (!step.startsWith('tools')) return
  for (let tries = 0; tries < 15 && !talk.said.includes(words); tries += 1) await pause(100)
}

test('a tool that takes longer than a second is covered by its words, once in a turn, and the model does not read them', async () => {
  const { model, talk } = talkOf(
    [calls('quick', '{}', 'q'), calls('slow', '{}', 's1')],
    [calls('slow', '{}', 's2')],
    says('There is one.'),
  )
  talk.before = untilSaid(talk)
  await runTurn(talk.parts(), never)
  assert.deepEqual(talk.of('agent.message'), [
    { text: words, messageId: 'm2', source: 'say', meanwhile: true },
    { text: 'There is one.', messageId: 'm1', source: 'model', answers: 'u1' },
  ])
  assert.ok(!JSON.stringify(model.asked).includes(words))
  assert.deepEqual(model.asked[0]?.tools, [toolNamed('quick'), toolNamed('slow')]) // no more than a model knows

  talk.hears('And tomorrow?', 'u2')
  await runTurn(talk.parts(), never)
  assert.ok(!JSON.stringify(model.asked.at(-1)).includes(words))
})

test('a tool that is done within a second, or that has no words, is covered by none', async () => {
  const { talk } = talkOf([calls('slow', '{}', 's1')], says('There is one.'))
  await runTurn(talk.parts(), never)
  const { talk: other } = talkOf([calls('quick', '{}', 'q')], says('There is one.'))
  other.before = (step) => (step.startsWith('tools') ? pause(1300) : Promise.resolve())
  await runTurn(other.parts(), never)
  assert.deepEqual([talk.said, other.said], [['There is one.'], ['There is one.']])
})

test('a turn that is aborted while its tool runs says nothing more', async () => {
  const { talk } = talkOf([calls('slow', '{}', 's1')])
  const stop = new AbortController()
  talk.before = async (step) => {
    if (step.startsWith('tools')) stop.abort(new Error('over'))
  }
  await assert.rejects(runTurn(talk.parts(), stop.signal), /over/)
  await pause(1200)
  assert.deepEqual(talk.said, [])
})
