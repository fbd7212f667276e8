import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Conversation } from '@switchroom/kit/vendor'
import { says, ScriptedModel, used } from '../../testing/talk.ts'
import { EarlyAnswer } from './early-answer.ts'

const question: Conversation = { messages: [{ role: 'user', text: 'A table.' }] }

test('an answer generated ahead is given once: the same question again is answered anew', async () => {
  const model = new ScriptedModel('model', says('Sure.'), says('Again.'))
  const run = new EarlyAnswer(model, question).of(model)
  const asked = async () => {
    const texts: string[] = []
    for await (const thought of run.think(question, new AbortController().signal))
      if (thought.type === 'text') texts.push(thought.text)
    return texts
  }
  assert.deepEqual([await asked(), await asked()], [['Sure.'], ['Again.']])
  assert.equal(model.asked.length, 2)
})

test('words are the same with other capitals, commas and full stops, and not with a question mark', () => {
  const asked = (text: string): Conversation => ({ messages: [{ role: 'user', text }] })
  const early = new EarlyAnswer(new ScriptedModel('model', ['silence']), asked('so you are open today'))
  assert.ok(early.answers(asked('So, you are open today.')))
  for (const text of ['So you are open today?', 'so you are open', 'Are you open today'])
    assert.ok(!early.answers(asked(text)), text)
  early.drop()
})

test('an answer that nobody used says once what it took: counted by the vendor, or about so much', async () => {
  const counted = new EarlyAnswer(new ScriptedModel('model', [...says('Sure.'), used(12, 3)]), question)
  const stopped = new EarlyAnswer(new ScriptedModel('model', [...says('Sure thing.'), 'silence']), question)
  const failed = new EarlyAnswer(new ScriptedModel('model', [new Error('gone')]), question)
  await new Promise((resolve) => void setImmediate(resolve))
  const { inputTokens, outputTokens, isEstimated } = counted.drop() ?? assert.fail('it was used')
  assert.deepEqual([inputTokens, outputTokens, isEstimated], [12, 3, false])
  const estimated = stopped.drop() ?? assert.fail('it was used')
  assert.ok(estimated.isEstimated && estimated.inputTokens > 5 && estimated.outputTokens === 3)
  assert.deepEqual([stopped.drop(), failed.drop()], [null, null])
})
