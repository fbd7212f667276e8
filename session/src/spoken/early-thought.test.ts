import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Conversation } from '@switchroom/kit/vendor'
import { says, ScriptedModel } from '../../testing/talk.ts'
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
