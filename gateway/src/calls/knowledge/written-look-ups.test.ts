import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { entriesOf, lentKeys, startChatDeployment } from '../../../testing/calls/chat-deployment.ts'
import { whileHeld } from '../../../testing/calls/spoken-calls.ts'
import { GatewayProcess } from '../../../testing/gateway-process.ts'
import { chunk, testBase } from '../../../testing/knowledge/test-bases.ts'
import type { AskedModel } from '../../../testing/providers/model-fake.ts'
import { until } from '../../../testing/until.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, org, model } = chats
const keys = { SVC_PROVIDER_KEY_OPENAI: lentKeys.openai, SVC_PROVIDER_KEY_GROQ: lentKeys.groq }

const prices = await testBase(deployment, org.id, { base: 'prices', language: 'en' })
await prices.put('prices.md', [chunk('A double room with breakfast costs 120 euros.', ['Rooms', 'Double'])])
const rules = await testBase(deployment, org.id, { base: 'rules', language: 'en' })
await rules.put('rules.md', [chunk('No pets.', ['House']), chunk('Quiet after ten.', ['House'])])
const large = await testBase(deployment, org.id, { base: 'large', language: 'en' })
await large.put(
  'large.md',
  Array.from({ length: 12 }, (_, at) => chunk(`Chapter ${at}: ${'a long story of a garden. '.repeat(400)}`)),
)

beforeEach(() => {
  model.reply = () => 'Hello.'
  model.asked.length = 0
})

const question = 'What does a double room with breakfast cost?'
const systemOf = (asked: AskedModel | undefined) =>
  asked?.messages.find(({ role }) => role === 'system')?.content ?? ''
/** As long as a look-up may take by the settings, so that a busy machine makes none late. */
const withBases = (...bases: object[]) =>
  chats.newAgent({ declares: { docs: bases.map((base) => ({ deadline_ms: 2_000, ...base })) } })
const found = async (call: string) =>
  (await entriesOf(deployment, call, 'knowledge.found')).map(({ data }) => data)

test('an answer comes from a document: what is asked is looked up before the turn, and the log says what was found', async () => {
  const agent = await withBases({ base: 'prices' })
  const client = await agent.chat()
  await client.ask(question)
  assert.match(
    systemOf(model.asked[0]),
    /From: prices\.md › Rooms › Double\n\nA double room with breakfast costs 120 euros\./,
  )
  const [entry] = await found(client.call)
  assert.partialDeepStrictEqual(entry, {
    base: 'prices',
    mode: 'auto',
    query: question,
    late: false,
    error: null,
  })
  assert.partialDeepStrictEqual(entry.passages, [{ name: 'prices.md', heading: ['Rooms', 'Double'] }])
  assert.ok(entry.best_score > 0 && entry.ms > 0)
})

test('the app gets what was found as an event of its call, and is not asked to search', async () => {
  const agent = await withBases({ base: 'prices', mode: 'tool' })
  const client = await agent.chat()
  model.reply = ({ tools = [], messages }) =>
    messages.at(-1)?.role === 'tool'
      ? '120 euros.'
      : { calls: [{ name: tools[0]?.function.name ?? '', arguments: { query: 'double room' } }] }
  assert.equal(await client.ask(question), '120 euros.')
  assert.deepEqual(
    model.asked[0]?.tools?.map(({ function: { name } }) => name),
    ['search_prices'],
  )
  assert.match(model.asked[1]?.messages.at(-1)?.content ?? '', /costs 120 euros/)
  const event = await until('it comes', () => agent.app.frames.find(({ type }) => type === 'knowledge.found'))
  assert.partialDeepStrictEqual(event.data, { base: 'prices', mode: 'tool', query: 'double room' })
  assert.ok(!agent.app.frames.some(({ type }) => type === 'llm.toolCall'))
})

test('a small base is read whole into every request until it changes, and a large one is looked up instead', async () => {
  const agent = await withBases({ base: 'rules', mode: 'whole' }, { base: 'large', mode: 'whole' })
  const client = await agent.chat()
  await client.ask('Hi there')
  assert.match(systemOf(model.asked[0]), /From: rules\.md\n\nHouse\n\nNo pets\.\n\nQuiet after ten\./)
  assert.ok(!systemOf(model.asked[0]).includes('Chapter'))
  await rules.put('rules.md', ['Dogs are welcome.'])
  await client.ask('And what of the garden in the story?')
  assert.match(systemOf(model.asked[1]), /Dogs are welcome/)
  assert.doesNotMatch(systemOf(model.asked[1]), /No pets/)
  assert.match(systemOf(model.asked[1]), /Looked up[^]*a long story of a garden/)
  const notes = (await found(client.call)).filter(({ mode }) => mode === 'whole')
  assert.deepEqual(
    notes.map(({ base, error }) => [base, error]),
    [
      [
        'large',
        'large has more than the 100000 characters that a call reads whole: it is looked up before every turn instead',
      ],
    ],
  )
})

test('a base that is not there, or that other agents have, is named in the log once, and the call goes on', async () => {
  await testBase(deployment, org.id, { base: 'secret', agents: ['another'] })
  await testBase(deployment, org.id, { base: 'live', env: 'production' })
  const other = await deployment.newOrg()
  await testBase(deployment, other.id, { base: 'theirs' })
  const named = ['gone', 'secret', 'live', 'theirs']
  const agent = await withBases(...named.map((base) => ({ base })))
  const client = await agent.chat()
  assert.equal(await client.ask(question), 'Hello.')
  assert.equal(await client.ask('Is there any place to park a car?'), 'Hello.')
  assert.deepEqual(
    (await found(client.call)).map(({ base, error }) => [base, error]),
    named.map((base) => [
      base,
      `there is no base ${base} in sandbox that ${agent.slug} may search: create it, or correct \`bases\` in the settings`,
    ]),
  )
})

test('a search that the database keeps waiting is late: the turn goes on without, and says so', async () => {
  const agent = await withBases({ base: 'prices', deadline_ms: 100 })
  const client = await agent.chat()
  await whileHeld(
    deployment,
    'lock table knowledge_chunks, knowledge_words in access exclusive mode',
    '',
    1,
    async () => {
      assert.equal(await client.ask(question), 'Hello.')
      assert.doesNotMatch(systemOf(model.asked[0]), /quoted/)
    },
  )
  assert.partialDeepStrictEqual(await found(client.call), [{ late: true, passages: [], error: null }])
})

test('a gateway that is killed while it looks something up loses nothing: another looks it up and asks the model once', async () => {
  await using killed = await GatewayProcess.start(deployment, keys)
  const agent = await withBases({ base: 'prices' })
  const client = await agent.chat({}, killed)
  const { call, seq } = client
  await whileHeld(
    deployment,
    'lock table knowledge_chunks, knowledge_words in access exclusive mode',
    '',
    1,
    async (held) => {
      client.say(question)
      await held.areWaiting()
      await killed.kill()
    },
  )
  const back = await agent.chat({ call, after: String(seq) })
  assert.equal((await back.next('message')).text, 'Hello.')
  assert.equal(model.asked.length, 1)
  assert.match(systemOf(model.asked[0]), /costs 120 euros/)
  assert.equal((await found(call)).length, 1)
  assert.equal((await entriesOf(deployment, call, 'agent.message')).length, 1)
})
