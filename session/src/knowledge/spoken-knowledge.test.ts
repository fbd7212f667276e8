import assert from 'node:assert/strict'
import { test } from 'node:test'
import { realtimeTalk, until } from '../../testing/realtime-talk.ts'
import { baseNamed, passageOf, ScriptedBases } from '../../testing/scripted-knowledge.ts'
import { speech } from '../../testing/scripted-sound.ts'
import { ScriptedTranscriber, ScriptedVoice } from '../../testing/scripted-vendors.ts'
import { SpokenTalk } from '../../testing/spoken-talk.ts'
import { says, ScriptedModel } from '../../testing/talk.ts'

const question = 'What does a double room cost on a Sunday?'
const price = passageOf('A double room is 120 euros.')
const answers = (query: string) => [passageOf(`About: ${query}`)]

/** A caller who has said this and is silent, and whose turn ends later. */
async function silent(bases: ScriptedBases, model: ScriptedModel, said: string, endpointingMs = 1_500) {
  const transcriber = new ScriptedTranscriber('transcriber')
  const talk = new SpokenTalk(model, transcriber, new ScriptedVoice('voice'))
  talk.config = { turn: { endpointing_ms: endpointingMs } }
  talk.knowledge = bases.knowledge
  talk.start()
  talk.sound.says(speech(700))
  await talk.until('speech.started')
  transcriber.hears({ type: 'partial', text: said })
  await talk.until('speech.ended')
  return { talk, transcriber }
}

const turnMetrics = async (talk: SpokenTalk) => {
  await talk.untilTrue(() => talk.dataOf('metrics').some(({ stage }) => stage === 'turn'))
  return talk.dataOf('metrics').find(({ stage }) => stage === 'turn')
}

test('what a caller is about to have said is looked up in their pause, and the turn takes it without waiting', async () => {
  const model = new ScriptedModel('model', says('120 euros.'))
  const bases = new ScriptedBases(() => [price], baseNamed('prices'))
  const { talk, transcriber } = await silent(bases, model, 'what does a double room cost on a Sunday')
  await talk.untilTrue(() => bases.asked.length > 0)
  assert.deepEqual(talk.types('user.message'), [])
  transcriber.hears({ type: 'final', text: question })
  assert.equal((await talk.until('agent.message'))['text'], '120 euros.')
  assert.equal(bases.asked.length, 1)
  assert.partialDeepStrictEqual(talk.dataOf('knowledge.found'), [{ mode: 'auto', waited_ms: 0, late: false }])
  assert.match(model.asked.at(-1)?.messages[0]?.text ?? '', /A double room is 120 euros\./)
  assert.deepEqual(talk.types('user.message', 'knowledge.found', 'agent.message'), [
    'user.message',
    'knowledge.found',
    'agent.message',
  ])
  await talk.hangUp()
})

test('other words than those that were looked up are looked up anew, and the turn is told about these', async () => {
  const model = new ScriptedModel('model', says('Yes.'))
  const bases = new ScriptedBases(answers, baseNamed('prices'))
  const { talk, transcriber } = await silent(bases, model, 'What does a double room cost')
  await talk.untilTrue(() => bases.asked.length > 0)
  transcriber.hears({ type: 'final', text: question })
  await talk.until('agent.message')
  assert.deepEqual(bases.asked, ['prices: What does a double room cost', `prices: ${question}`])
  assert.deepEqual(
    talk.dataOf('knowledge.found').map(({ query }) => query),
    [question],
  )
  const system = model.asked.at(-1)?.messages[0]?.text ?? ''
  assert.ok(system.includes(`About: ${question}`), system)
  await talk.hangUp()
})

test('a model that thinks ahead has read what was looked up, and is not asked again', async () => {
  const model = new ScriptedModel('model', says('120 euros.'))
  const found = Promise.withResolvers<void>()
  const bases = new ScriptedBases(() => found.promise.then(() => [price]), baseNamed('prices'))
  const { talk, transcriber } = await silent(bases, model, question)
  transcriber.hears({ type: 'final', text: question })
  await talk.untilTrue(() => bases.asked.length > 0)
  assert.equal(model.asked.length, 0)
  found.resolve()
  await until(() => model.asked.length === 1)
  assert.deepEqual(talk.types('user.message'), [])
  await talk.until('agent.message')
  assert.equal(model.asked.length, 1)
  assert.match(model.asked[0]?.messages[0]?.text ?? '', /A double room is 120 euros\./)
  await talk.hangUp()
})

test('a look-up that is past its deadline when the turn ends costs the turn nothing, and the log says that it was late', async () => {
  const model = new ScriptedModel('model', says('I do not know.'))
  const never = (_query: string, _base: string, signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  const bases = new ScriptedBases(never, baseNamed('prices', { deadline_ms: 150 }))
  const { talk, transcriber } = await silent(bases, model, question)
  transcriber.hears({ type: 'final', text: question })
  await talk.until('agent.message')
  assert.partialDeepStrictEqual(talk.dataOf('knowledge.found'), [{ late: true, waited_ms: 0, passages: [] }])
  assert.doesNotMatch(model.asked.at(-1)?.messages[0]?.text ?? '', /quoted/)
  assert.ok(await turnMetrics(talk))
  await talk.hangUp()
})

test('a caller who continues leaves nothing behind that was looked up for their half sentence', async () => {
  const model = new ScriptedModel('model', says('Yes.'))
  let given: AbortSignal | undefined
  const bases = new ScriptedBases(
    (query, _base, signal) => {
      if (query !== 'What does') return answers(query)
      given = signal
      return new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      )
    },
    baseNamed('prices', { deadline_ms: 2_000 }),
  )
  const { talk, transcriber } = await silent(bases, model, 'What does', 400)
  await until(() => given !== undefined)
  talk.sound.says(speech(700))
  await talk.until('speech.started', 2)
  transcriber.hears({ type: 'final', text: question })
  await talk.until('agent.message')
  assert.equal(given?.aborted, true)
  assert.deepEqual(
    talk.dataOf('knowledge.found').map(({ query, late }) => [query, late]),
    [[question, false]],
  )
  await talk.hangUp()
})

test('a realtime model searches all bases itself, because it answers before the words are known', async () => {
  const { talk, model } = realtimeTalk(
    { calls: [{ id: 's1', name: 'search_prices', arguments: '{"query":"double room"}' }] },
    { text: 'It is 120.' },
  )
  const bases = new ScriptedBases(() => [price], baseNamed('prices'), baseNamed('rules', { mode: 'tool' }))
  talk.knowledge = bases.knowledge
  talk.start()
  await until(() => model.conversations.length > 0)
  model.hears(question)
  assert.equal((await talk.until('agent.message'))['text'], 'It is 120.')
  const [reply] = model.asked('reply')
  assert.deepEqual(
    reply?.tools.map(({ name }) => name),
    ['search_prices', 'search_rules'],
  )
  assert.deepEqual(bases.asked, ['prices: double room'])
  const outcome = model.asked('tell').find(({ message }) => message.role === 'tool')?.message.text ?? ''
  assert.match(outcome, /A double room is 120 euros\./)
  assert.partialDeepStrictEqual(talk.dataOf('knowledge.found'), [
    { mode: 'tool', base: 'prices', error: null },
  ])
  await talk.hangUp()
})
