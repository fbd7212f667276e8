import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Message } from '@switchroom/kit/vendor'
import { calls, never, ScriptedModel, says, Talk, toolNamed, used } from '../testing/talk.ts'
import { runTurn } from './turn.ts'

test('a turn keeps what it cost and what was said at once, and names the message it answers (ND-107, SD-56)', async () => {
  const model = new ScriptedModel('alpha', [...says('Good ', 'morning. '), used(12, 3)])
  const talk = new Talk(model).hears('Hello', 'u1')
  assert.deepEqual(await runTurn(talk.parts(), never), { ends: false })
  assert.deepEqual(model.asked, [
    {
      messages: [
        { role: 'system', text: 'Be brief.' },
        { role: 'user', text: 'Hello' },
      ],
    },
  ])
  assert.equal(talk.batches.length, 1)
  const [metrics, message] = talk.batches[0] ?? []
  const { first_word_ms, total_ms, ...cost } = metrics?.data ?? {}
  assert.equal(metrics?.type, 'metrics')
  assert.deepEqual(cost, {
    stage: 'llm',
    vendor: 'alpha',
    model: 'alpha-large',
    key: 'yours',
    input_tokens: 12,
    output_tokens: 3,
  })
  assert.ok(Number(first_word_ms) <= Number(total_ms))
  assert.deepEqual(message, {
    type: 'agent.message',
    data: { text: 'Good morning.', messageId: 'm1', source: 'model', answers: 'u1' },
  })
})

test('an empty answer says nothing, and the turn is over all the same', async () => {
  const talk = new Talk(new ScriptedModel('alpha', [...says(' \n'), used(1, 1)])).hears('Hello', 'u1')
  assert.deepEqual(await runTurn(talk.parts(), never), { ends: false })
  assert.deepEqual(talk.said, [])
  assert.deepEqual(
    talk.of('metrics').map(({ answers }) => answers),
    ['u1'],
  )
})

test('generations are counted over the whole call, and each is prepared before its model is asked (N-425)', async () => {
  const model = new ScriptedModel('alpha', [calls('look_up')], says('Here.'))
  const talk = new Talk(model).hears('Where?')
  talk.instructions = { ...talk.instructions, tools: [toolNamed('look_up')] }
  const askedAtPrepare: number[] = []
  talk.before = async (step) => {
    await nextTurn()
    if (step === 'prepare') askedAtPrepare.push(model.asked.length)
  }
  await runTurn(talk.parts(), never)
  talk.hears('And now?').set = { prompt: 'Be kind.', context: 'It rains.' }
  await runTurn(talk.parts(), never)
  assert.deepEqual(talk.generations, [1, 2, 3])
  assert.deepEqual(askedAtPrepare, [0, 1, 2])
  assert.deepEqual(model.asked[2]?.messages[0], { role: 'system', text: 'Be kind.\n\n# Now\n\nIt rains.' })
})

test('an answer that was made while the user wrote on is read before what they wrote', async () => {
  const model = new ScriptedModel('alpha', says('To the first.'), says('To the second.'))
  const talk = new Talk(model).hears('First', 'u1')
  talk.before = async (step) => {
    if (step === 'prepare' && talk.generations.length === 0) talk.hears('Second', 'u2')
  }
  await runTurn(talk.parts(), never)
  await runTurn(talk.parts(), never)
  assert.deepEqual(
    talk.of('agent.message').map(({ answers }) => answers),
    ['u1', 'u2'],
  )
  const told = model.asked[1]?.messages.slice(1)
  assert.deepEqual(told, [
    { role: 'user', text: 'First' },
    { role: 'assistant', text: 'To the first.' },
    { role: 'user', text: 'Second' },
  ] satisfies Message[])
})

test('whatever a turn waits for, an abort ends it at once and nothing more is kept', async () => {
  const steps = [
    'prepare',
    'keep metrics llm.toolCall',
    'tools look_up',
    'keep metrics agent.message',
    'think',
  ]
  for (const where of steps) {
    const deeds = where === 'think' ? [['silence'] as const] : [[calls('look_up')], says('Here.')]
    const model = new ScriptedModel('alpha', ...deeds)
    const other = new ScriptedModel('beta', says('Too late.'))
    const talk = new Talk(model, other).hears('Where?')
    talk.instructions = { ...talk.instructions, tools: [toolNamed('look_up')], llmTimeoutMs: 60_000 }
    const stop = new AbortController()
    const reason = new Error('the call ended')
    let keptWhenAborted = 0
    talk.before = async (step) => {
      if (step !== where) return
      keptWhenAborted = talk.batches.length
      stop.abort(reason)
      await new Promise(() => {}) // the model never answers
    }
    const turn = runTurn(talk.parts(), stop.signal)
    if (where === 'think') {
      while (model.open === 0) await nextTurn()
      stop.abort(reason)
    }
    await assert.rejects(turn, reason, where)
    await nextTurn()
    assert.equal(model.open, 0, where)
    assert.equal(talk.batches.length, keptWhenAborted, where)
    const taken = talk.steps.length
    await assert.rejects(runTurn(talk.parts(), stop.signal), reason)
    assert.deepEqual([talk.steps.length, other.asked], [taken, []], where)
  }
})

test('what keep refuses ends the turn', async () => {
  const talk = new Talk(new ScriptedModel('alpha', [calls('look_up')])).hears('Where?')
  talk.instructions = { ...talk.instructions, tools: [toolNamed('look_up')] }
  const refusal = new Error('this call has ended')
  talk.before = async (step) => {
    if (step.startsWith('keep')) throw refusal
  }
  await assert.rejects(runTurn(talk.parts(), never), refusal)
  assert.deepEqual(talk.toolsAsked, [])
})
