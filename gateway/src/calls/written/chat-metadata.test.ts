import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { startChatDeployment } from '../../../testing/calls/chat-deployment.ts'
import { openSocket } from '../../../testing/http/sockets.ts'
import { done } from '../../../testing/agents/test-agents.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, model, org, key } = chats
const pipeline = await org.serverToken('sandbox', { scopes: ['pipeline'] })

beforeEach(() => {
  model.reply = () => 'Fine.'
  model.asked.length = 0
})

const metadata = JSON.stringify({ name: 'Ana', visits: 3 })
const promptOf = (asked: number) => model.asked[asked]?.messages[0]?.content

test('a chat hands its metadata to the agent, and the greeting and the prompt are filled from it', async () => {
  const agent = await chats.newAgent({
    prompt: 'You speak with {{name|a stranger}}, who came {{visits}} times.',
    declares: { greeting: { say: 'Hello {{name|there}}.' } },
  })
  const client = await agent.chat({ metadata })
  assert.equal((await client.next('message')).text, 'Hello Ana.')
  assert.equal(await client.ask('How are you?'), 'Fine.')
  assert.equal(promptOf(0), 'You speak with Ana, who came 3 times.')
  const started = await agent.app.nextOf('chat.started')
  assert.deepEqual(started.data.call.metadata, { name: 'Ana', visits: 3 })

  const stranger = await agent.chat()
  assert.equal((await stranger.next('message')).text, 'Hello there.')
  await stranger.ask('How are you?')
  assert.equal(promptOf(1), 'You speak with a stranger, who came  times.')
})

test('a greeting of which nothing is left is not said, and one of the model is filled', async () => {
  const silent = await chats.newAgent({ declares: { greeting: { say: '{{greeting}}' } } })
  const client = await silent.chat()
  assert.equal(await client.ask('Hi'), 'Fine.')
  assert.deepEqual(
    client.frames.flatMap((frame) => (frame.type === 'message' ? [frame.text] : [])),
    ['Fine.'],
  )
  model.asked.length = 0
  const replies = await chats.newAgent({ declares: { greeting: { reply: 'Greet {{name}} warmly.' } } })
  await (await replies.chat({ metadata })).next('message')
  assert.ok(promptOf(0)?.includes('Greet Ana warmly.'))
})

test('what the app learns about the call fills the prompt of the next turn', async () => {
  const agent = await chats.newAgent({ prompt: 'You speak with {{name|a stranger}}.', preparing: true })
  agent.app.socket.on('message', (data: Buffer) => {
    const { type, call, data: asked } = JSON.parse(data.toString())
    const set = { metadata: { name: 'Bo' } }
    if (type === 'call.preparing')
      agent.app.send({ type: 'preparing.settled', call, turn: asked.turn, ...(asked.turn > 1 && { set }) })
  })
  const client = await agent.chat({ metadata })
  await client.ask('One')
  await client.ask('Two')
  await client.ask('Three')
  assert.deepEqual([0, 1, 2].map(promptOf), [
    'You speak with Ana.',
    'You speak with Bo.',
    'You speak with Bo.',
  ])
})

test('metadata that is no object, or too much, is refused before the chat opens', async () => {
  const { slug } = await chats.newAgent()
  const notOne = 'metadata is a JSON object, such as {"name": "Ana"}'
  const cases: [said: string, detail: string][] = [
    ['{', notOne],
    ['', notOne],
    ['[]', notOne],
    ['"Ana"', notOne],
    ['null', notOne],
    [JSON.stringify({ long: 'x'.repeat(4090) }), 'metadata is at most 4096 bytes of JSON'],
    ['{"a":"\\u0000"}', 'a NUL character cannot be kept: leave it out'],
    [`{"a":${'['.repeat(2100)}${']'.repeat(2100)}}`, 'metadata is at most 4096 bytes of JSON'],
  ]
  for (const [said, detail] of cases) {
    const query = new URLSearchParams({ agent: slug, metadata: said })
    const answer = await openSocket(`${deployment.url}/v1/chat?${query.toString()}`, {
      authorization: `Bearer ${key}`,
    })
    assert.ok(!('readyState' in answer))
    assert.deepEqual([answer.status, JSON.parse(answer.text).detail], [400, detail], said.slice(0, 50))
  }
})

test('a greeting or a prompt that is no template is refused at the set, in a sentence', async () => {
  const agent = await chats.newAgent()
  const put = (greeting: object) =>
    pipeline.client.put(`/v1/agents/${agent.slug}/settings`, { config: { greeting }, if_version: 0 })
  const open = 'opens {{ without a name and }} after it: write \\{{ for two braces'
  const named =
    'names {{first name}}: a name is letters, digits, _, . and -, as in {{name}} or {{name|there}}'
  const refusals: [greeting: object, detail: string][] = [
    [{ say: 'Hello {{name' }, `\`greeting\` has a say that ${open}`],
    [{ say: 'Hello {{first name}}' }, `\`greeting\` has a say that ${named}`],
    [{ reply: '{{' }, `\`greeting\` has a reply that ${open}`],
  ]
  for (const [greeting, detail] of refusals) {
    const answer = await put(greeting)
    assert.deepEqual([answer.status, answer.body.detail], [400, detail])
    const declared = await agent.app.register(agent.slug, { declares: { greeting } })
    assert.deepEqual([declared.code, declared.detail], ['BAD_FRAME', detail])
  }
  const prompted = await agent.app.register(agent.slug, { prompt: 'Call {{first name}}' })
  assert.deepEqual([prompted.code, prompted.detail], ['BAD_FRAME', `the prompt ${named}`])
  const kept = done(await put({ say: 'Hello {{name|there}}, \\{{' }))
  assert.equal(JSON.stringify(kept).includes('Hello {{name|there}}'), true) // kept as it was set
})
