import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { refused } from '@switchroom/kit/failures'
import { never, ScriptedModel, says, Talk, used } from '../testing/talk.ts'
import { learn, type MemoryParts } from './memory.ts'
import { memoryOpsIn } from './memory-ops.ts'

const facts = [
  { id: 'fact_a', text: 'Her name is Ana.' },
  { id: 'fact_b', text: 'She lives in Porto.' },
]
const contact = '+351911234567'

function listening(answer: string, more: Partial<MemoryParts> = {}) {
  const model = new ScriptedModel('alpha', [...says(answer), used(30, 9)])
  const talk = new Talk(model).hears('I moved to Braga.')
  talk.add('agent.message', { text: 'Good to know.', messageId: 'm', source: 'model' })
  const run = () => {
    const { entries, keep, models, nowMs } = talk.parts()
    const memory = { remember: ['where they live'], forget: ['card numbers'] }
    return learn({ contact, memory, facts, models, entries, keep, nowMs, ...more }, never)
  }
  return { model, talk, run }
}

const moved =
  '{"ops": [{"op": "update", "note": 2, "text": "She lives in Braga."}, {"op": "delete", "note": 1}]}'

test('what is learned adds, updates and deletes facts of the contact, an update naming the fact it replaces (N-438, ND-111)', async () => {
  const answer = '{"ops": [{"op": "add", "text": "She has a dog."},' + moved.slice(9)
  const { model, talk, run } = listening(answer)
  const learned = await run()
  assert.equal(learned?.contact, contact)
  const ids = learned?.ops.map(({ id }) => id) ?? []
  assert.deepEqual(learned?.ops, [
    { op: 'add', id: ids[0], text: 'She has a dog.' },
    { op: 'update', id: ids[1], text: 'She lives in Braga.', supersedes: 'fact_b' },
    { op: 'delete', id: 'fact_a' },
  ])
  for (const id of ids.slice(0, 2)) assert.match(id, /^fact_[\da-f]{24}$/)
  assert.notEqual(ids[0], ids[1])
  const [system, asked] = model.asked[0]?.messages ?? []
  assert.match(system?.text ?? '', /^Worth noting, and nothing else is: where they live\.$/m)
  assert.match(system?.text ?? '', /^Never noted, and deleted where it is: card numbers\.$/m)
  const notes = 'Notes so far:\n1. Her name is Ana.\n2. She lives in Porto.'
  const said = 'Conversation:\nPerson: I moved to Braga.\nAgent: Good to know.'
  assert.equal(asked?.text, `${notes}\n\n${said}`)
  assert.equal(model.asked[0]?.tools, undefined)
  const [cost] = talk.of('metrics')
  assert.deepEqual([cost?.['purpose'], cost?.['vendor'], cost?.['input_tokens']], ['memory', 'alpha', 30])
})

test('the next run reads only what was said since, also while the model was thinking', async () => {
  const { model, talk, run } = listening(moved)
  const running = run()
  talk.hears('And I have a dog.')
  assert.ok(await running)
  talk.add('metrics', { stage: 'llm' })
  await run()
  assert.match(model.asked[1]?.messages[1]?.text ?? '', /Conversation:\nPerson: And I have a dog\.$/)
  assert.equal(await run(), null)
  assert.equal(model.asked.length, 2)
})

test('the first fact of a contact is learned too', async () => {
  const learned = await listening('{"ops": [{"op": "add", "text": "She has a dog."}]}', { facts: [] }).run()
  assert.deepEqual(
    learned?.ops.map(({ op }) => op),
    ['add'],
  )
})

test('nothing is asked without a contact, with nothing to learn, or nothing was said', async () => {
  const cases: Partial<MemoryParts>[] = [
    { contact: null },
    { memory: null },
    { memory: { remember: [], forget: [] } },
    { memory: { remember: [], forget: ['card numbers'] }, facts: [] },
    { entries: [] },
  ]
  for (const more of cases) {
    const { model, run } = listening(moved, more)
    assert.deepEqual([await run(), model.asked.length], [null, 0], JSON.stringify(more))
  }
  const forgetting = listening('{"ops": [{"op": "delete", "note": 1}]}', {
    memory: { remember: [], forget: ['names'] },
  })
  assert.deepEqual(await forgetting.run(), { contact, ops: [{ op: 'delete', id: 'fact_a' }] })
})

test('no failure is heard of: nothing is learned then, and never an empty list (ND-111)', async () => {
  const broken = new ScriptedModel('alpha', [refused('no credit left')])
  assert.equal(await listening('', { models: [broken] }).run(), null)
  const ended = async () => {
    throw new Error('this call has ended')
  }
  assert.equal(await listening(moved, { keep: ended }).run(), null)
  for (const answer of [
    '',
    'Nothing to note.',
    '{"ops": []}',
    '{"ops": "none"}',
    'null',
    '[{"op": "sing"}]',
    '{"ops',
  ])
    assert.equal(await listening(answer).run(), null, answer)
})

test('a model’s answer is taken however it is wrapped, and what makes no sense in it is left out', () => {
  const wrapped = [
    '[{"op": "delete", "note": "2"}]',
    '```json\n{"ops": [{"op": "delete", "note": 2}]}\n```',
    'Here you are: {"ops": [{"op": "delete", "note": 2}]} Anything else?',
    'Sure: [{"op": "delete", "note": 2}].',
    'By rule [1]: {"ops": [{"op": "delete", "note": 2}]}',
  ]
  for (const answer of wrapped)
    assert.deepEqual(memoryOpsIn(answer, facts), [{ op: 'delete', id: 'fact_b' }], answer)
  const odd = [
    { op: 'delete', note: 3 },
    { op: 'update', note: 0, text: 'x' },
    { op: 'update', note: 1, text: ' ' },
    { op: 'update', note: 1, text: 'Her name is Ana.' },
    { op: 'add', text: 'She lives in Porto. ' },
    { op: 'add', text: 7 },
    'add',
    null,
    { op: 'delete', note: 1 },
    { op: 'delete', note: 1 },
    { op: 'update', note: 1, text: 'Her name is Eva.' },
  ]
  assert.deepEqual(memoryOpsIn(JSON.stringify({ ops: odd }), facts), [{ op: 'delete', id: 'fact_a' }])
})

test('at most twenty changes are taken, and their texts are cut at five hundred characters', () => {
  const ops = Array.from({ length: 30 }, (_, n) => ({ op: 'add', text: `${n} ${'😀'.repeat(600)}` }))
  const taken = memoryOpsIn(JSON.stringify(ops), [])
  assert.equal(taken.length, 20)
  for (const op of taken) assert.equal('text' in op && Array.from(op.text).length, 500)
})

test('whatever a model answers, every change is of the known form and of a stored fact (ND-111)', () => {
  const anyOp = fc.record(
    {
      op: fc.constantFrom('add', 'update', 'delete', 'x', null),
      note: fc.oneof(fc.integer({ min: -1, max: 4 }), fc.constant('1'), fc.anything()),
      text: fc.oneof(fc.string(), fc.anything()),
    },
    { requiredKeys: [] },
  )
  const answer = fc.oneof(
    fc.string(),
    fc.json(),
    fc.array(anyOp, { maxLength: 30 }).map((ops) => JSON.stringify({ ops })),
  )
  fc.assert(
    fc.property(answer, (text) => {
      const ops = memoryOpsIn(text, facts)
      assert.ok(ops.length <= 20)
      const replaced = ops.flatMap((op) =>
        op.op === 'update' ? [op.supersedes] : op.op === 'delete' ? [op.id] : [],
      )
      assert.equal(new Set(replaced).size, replaced.length)
      for (const id of replaced) assert.ok(facts.some((fact) => fact.id === id))
      for (const op of ops) if (op.op !== 'delete') assert.ok(op.text.trim() !== '' && op.text.length <= 1000)
    }),
    { numRuns: 500 },
  )
})
