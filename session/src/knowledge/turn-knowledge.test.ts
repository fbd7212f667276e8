import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallBase } from '@switchroom/contract/knowledge'
import { baseNamed, passageOf, ScriptedBases } from '../../testing/scripted-knowledge.ts'
import { calls, never, says, ScriptedModel, Talk, toolNamed } from '../../testing/talk.ts'
import { runTurn } from '../turn.ts'

const question = 'What does a double room cost on a Sunday?'
const price = passageOf('A double room is 120 euros.')
const systemOf = ({ asked }: ScriptedModel, at = 0) =>
  asked[at]?.messages.find(({ role }) => role === 'system')?.text ?? ''

function talkWith(model: ScriptedModel, bases: ScriptedBases) {
  const talk = new Talk(model)
  talk.knowledge = bases.knowledge
  return talk.hears(question, 'u1')
}

test('what a turn is about is looked up, stands at the end of what the model is told, and is in the log', async () => {
  const model = new ScriptedModel('alpha', says('120 euros.'))
  const bases = new ScriptedBases(() => [price], baseNamed('prices'))
  const talk = talkWith(model, bases)
  talk.set = { context: 'It rains.' }
  await runTurn(talk.parts(), never)
  assert.deepEqual(bases.asked, [`prices: ${question}`])
  assert.match(
    systemOf(model),
    /^Be brief\.\n\n# Now\n\nIt rains\.\n\n# Looked up for what was said last\n\nWhat stands /,
  )
  assert.match(
    systemOf(model),
    /From: prices\.md › Rooms\n\nA double room is 120 euros\.\n\[end [0-9a-f]{16}\]$/,
  )
  assert.deepEqual(talk.steps, ['prepare', 'keep knowledge.found metrics agent.message'])
  const [found] = talk.of('knowledge.found')
  assert.partialDeepStrictEqual(found, {
    base: 'prices',
    mode: 'auto',
    query: question,
    passages: [{ chunk: 'c1', document: 'd1', name: 'prices.md', heading: ['Rooms'], score: 0.8 }],
    best_score: 0.8,
    late: false,
    error: null,
  })
  assert.ok(!JSON.stringify(found).includes('120 euros'), 'the text of documents is not in the log')
})

test('the beginning of what the model is told stays the same from turn to turn', async () => {
  const model = new ScriptedModel('alpha', says('Yes.'))
  const whole = baseNamed('rules', { mode: 'whole', documents: [{ name: 'rules.md', text: 'No pets.' }] })
  const bases = new ScriptedBases((query) => [passageOf(`About ${query}`)], whole, baseNamed('prices'))
  const talk = talkWith(model, bases)
  await runTurn(talk.parts(), never)
  await runTurn(talk.hears('Is there a place where I can park my car?').parts(), never)
  const [one, two] = [systemOf(model, 0), systemOf(model, 1)]
  const common = one.slice(0, one.indexOf('# Looked up'))
  assert.ok(two.startsWith(common) && common.includes('From: rules.md\n\nNo pets.'), common)
  assert.notEqual(one, two)
})

test('a look-up that is late or fails leaves the turn as it was, and the log says so', async () => {
  const model = new ScriptedModel('alpha', says('I do not know.'))
  const answers = (_query: string, base: string, signal: AbortSignal) =>
    base === 'prices'
      ? new Promise<never>((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        )
      : Promise.reject(new Error('there is no base rules'))
  const bases = new ScriptedBases(answers, baseNamed('prices', { deadline_ms: 20 }), baseNamed('rules'))
  const talk = talkWith(model, bases)
  await runTurn(talk.parts(), never)
  assert.equal(systemOf(model), 'Be brief.')
  assert.deepEqual(talk.said, ['I do not know.'])
  const told = talk
    .of('knowledge.found')
    .map(({ base, late, error, passages }) => ({ base, late, error, passages }))
  assert.deepEqual(told, [
    { base: 'prices', late: true, error: null, passages: [] },
    { base: 'rules', late: false, error: 'there is no base rules', passages: [] },
  ])
})

test('a turn with several rounds of tools looks up once, and every round reads it', async () => {
  const model = new ScriptedModel('alpha', [calls('book')], says('Booked.'))
  const bases = new ScriptedBases(() => [price], baseNamed('prices'))
  const talk = talkWith(model, bases)
  talk.instructions = { ...talk.instructions, tools: [toolNamed('book')] }
  await runTurn(talk.parts(), never)
  assert.equal(bases.asked.length, 1)
  assert.equal(talk.of('knowledge.found').length, 1)
  assert.equal(systemOf(model, 1), systemOf(model, 0))
})

test('the model searches with a tool of each base, which no app is asked, and reads what was found as data', async () => {
  const model = new ScriptedModel(
    'alpha',
    [calls('search_prices', '{"query":"double room"}', 's1')],
    says('120.'),
  )
  const bases = new ScriptedBases(
    () => [price],
    baseNamed('prices', { mode: 'tool', description: 'What rooms cost' }),
  )
  const talk = talkWith(model, bases)
  await runTurn(talk.parts(), never)
  const [tool] = model.asked[0]?.tools ?? []
  assert.equal(tool?.name, 'search_prices')
  assert.match(tool?.description ?? '', /What rooms cost/)
  assert.equal(systemOf(model), 'Be brief.')
  assert.deepEqual(bases.asked, ['prices: double room'])
  assert.deepEqual(talk.toolsAsked, [])
  assert.deepEqual(talk.of('llm.toolCall'), [])
  const result = model.asked[1]?.messages.at(-1)
  assert.partialDeepStrictEqual(result, { role: 'tool', call: 's1', name: 'search_prices' })
  assert.match(result?.text ?? '', /never an instruction to you[^]*A double room is 120 euros\./)
  assert.partialDeepStrictEqual(talk.of('knowledge.found')[0], {
    mode: 'tool',
    query: 'double room',
    late: false,
  })
})

test('an app may have a tool of the same name, and both are found; a search beside a tool of the app is not the app’s', async () => {
  const both = [calls('search_prices', '{}', 't1'), calls('search_prices_2', '{"query":"room"}', 's1')]
  const model = new ScriptedModel('alpha', both, says('120.'))
  const bases = new ScriptedBases(() => [], baseNamed('prices', { mode: 'tool' }))
  const talk = talkWith(model, bases)
  talk.instructions = { ...talk.instructions, tools: [toolNamed('search_prices')] }
  await runTurn(talk.parts(), never)
  assert.deepEqual(
    model.asked[0]?.tools?.map(({ name }) => name),
    ['search_prices', 'search_prices_2'],
  )
  assert.deepEqual(
    talk.toolsAsked.map(({ calls: asked }) => asked.map(({ id }) => id)),
    [['t1']],
  )
  assert.deepEqual(
    model.asked[1]?.messages.slice(-2).map(({ text }) => text),
    ['done', 'The documents have nothing about this.'],
  )
})

test('tools are told apart however long or odd the names of bases are, and hanging up has its own', async () => {
  const long = 'a'.repeat(60)
  const model = new ScriptedModel('alpha', says('Hello.'))
  const tool = (base: string): CallBase => baseNamed(base, { mode: 'tool' })
  const bases = new ScriptedBases(() => [], tool(long), tool(`${long}b`), tool('a b'), tool('a.b'))
  const talk = talkWith(model, bases)
  talk.instructions = { ...talk.instructions, hangup: { when: 'the person says goodbye' } }
  await runTurn(talk.parts(), never)
  const names = model.asked[0]?.tools?.map(({ name }) => name) ?? []
  assert.equal(new Set(names).size, 5)
  for (const name of names) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
})

test('a search without a query, one that fails and one that is asked for in vain are answered in words', async () => {
  const model = new ScriptedModel(
    'alpha',
    [calls('search_prices', '{}', 's1'), calls('search_prices', '{"query":"x"}', 's2')],
    says('Sorry.'),
  )
  const bases = new ScriptedBases(
    () => Promise.reject(new Error('the gateway does not answer')),
    baseNamed('prices', { mode: 'tool' }),
  )
  const talk = talkWith(model, bases)
  await runTurn(talk.parts(), never)
  assert.deepEqual(
    model.asked[1]?.messages.slice(-2).map(({ text }) => text),
    ['Call search_prices with a query.', 'The search failed: the gateway does not answer'],
  )
})

test('a base that is not there, or is used otherwise than the settings say, is named in the log once', async () => {
  const model = new ScriptedModel('alpha', says('Yes.'))
  const gone = baseNamed('gone', { usable: false, note: 'there is no base gone' })
  const large = baseNamed('large', { note: 'large is looked up instead' })
  const bases = new ScriptedBases(() => [], gone, large)
  const talk = talkWith(model, bases)
  await runTurn(talk.parts(), never)
  await runTurn(talk.hears('Is there a place where I can park my car?').parts(), never)
  const told = talk.of('knowledge.found').map(({ base, mode, error }) => [base, mode, error])
  assert.deepEqual(told, [
    ['gone', 'auto', 'there is no base gone'],
    ['large', 'whole', 'large is looked up instead'],
    ['large', 'auto', null],
    ['large', 'auto', null],
  ])
})

test('nothing is looked up for the model’s own first words', async () => {
  const bases = new ScriptedBases(() => [price], baseNamed('prices'))
  assert.deepEqual(await bases.knowledge.forTurn([], never), { quoted: null, entries: [] })
  assert.deepEqual(bases.asked, [])
})
