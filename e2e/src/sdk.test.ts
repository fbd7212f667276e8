import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { until } from '@switchroom/gateway/testing/until'
import { Agent, connect, openChat, tool, Type, type AgentOptions, type Turn } from '@switchroom/sdk'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, key, model } = chats
const { url } = deployment

let agents = 0

/** An agent of this process and a contact who writes to it. */
async function talking(t: TestContext, options: Partial<AgentOptions> = {}, contact = '+34911234567') {
  const switchroom = connect({ url, key })
  t.after(() => switchroom.close())
  const agent = new Agent({ name: `sdk-${(agents += 1)}`, ...options })
  await switchroom.hold(agent)
  const said: string[] = []
  const open = async () => {
    const chat = openChat({ url, key, agent: agent.name, contact })
    t.after(() => chat.end())
    chat.on('message', ({ text }) => void said.push(text))
    await chat.started
    return chat
  }
  return { switchroom, agent, said, open }
}

const add = tool({
  name: 'add',
  description: 'Adds two numbers',
  parameters: Type.Object({ a: Type.Number(), b: Type.Number() }),
  run: ({ a, b }) => a + b,
})

test('an agent receives what happens in a chat as (event, call), its tools run by themselves, and the model reads what they answer (N-409, N-458, N-459, ND-91)', async (t) => {
  const { agent, said, open } = await talking(t, { prompt: 'Be exact.', tools: [add] })
  const seen: unknown[][] = []
  agent.on(
    'chat.started',
    ({ id, transport, from, reason }) => void seen.push(['started', id, transport, from, reason]),
  )
  agent.on('user.message', ({ text }, call) => void seen.push(['user', text, call.id]))
  agent.on('llm.toolCall', ({ toolCalls }, call) => void seen.push(['tool', toolCalls, call.id]))
  agent.on('agent.message', ({ text }, call) => void seen.push(['agent', text, call.id]))
  agent.on('call.ended', (call, reason) => void seen.push(['ended', reason, call.id, call.reason]))
  const numbers = { a: 2, b: 40 }
  model.reply = ({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? 'It is 42.'
      : { calls: [{ id: 'tool_1', name: 'add', arguments: numbers }] }
  const chat = await open()
  const call = await chat.started
  await chat.send('2 and 40?')
  await until('it answered', () => said.includes('It is 42.'))
  await chat.end()
  await until('it ended', () => seen.length === 5)
  assert.deepEqual(seen, [
    ['started', call, 'chat', '+34911234567', undefined],
    ['user', '2 and 40?', call],
    ['tool', [{ id: 'tool_1', name: 'add', arguments: '{"a":2,"b":40}' }], call],
    ['agent', 'It is 42.', call],
    ['ended', 'hangup', call, 'hangup'],
  ])
  const [first, second] = model.asked.slice(-2)
  assert.match(first?.messages[0]?.content ?? '', /^Be exact\./)
  assert.equal(first?.tools?.[0]?.function.name, 'add')
  assert.deepEqual(second?.messages.at(-1), { role: 'tool', tool_call_id: 'tool_1', content: '42' })
})

test('a handler speaks, asks for a callback, reads the history and ends the call (ND-91, N-367)', async (t) => {
  const { agent, said, open } = await talking(t)
  model.reply = () => 'Hello.'
  const histories: Turn[][] = []
  agent.on('user.message', async ({ text }, call) => {
    if (text !== 'call me back') return
    call.callback('+34911234567', { when: 'tomorrow', note: 'about the invoice' })
    call.say('You will be called.')
    histories.push(await call.history())
    call.end()
  })
  const chat = await open()
  const ended = new Promise((resolve) => chat.on('ended', resolve))
  await chat.send('hello')
  await until('it answered', () => said.includes('Hello.'))
  await chat.send('call me back')
  assert.equal(await ended, 'hangup')
  assert.ok(said.includes('You will be called.'))
  assert.deepEqual(
    histories[0]?.slice(0, 3).map(({ who, text }) => [who, text]),
    [
      ['contact', 'hello'],
      ['agent', 'Hello.'],
      ['contact', 'call me back'],
    ],
  )
  const answer = await deployment.anonymous.as(key).get(`/v1/callbacks?agent=${agent.name}`)
  assert.deepEqual(
    answer.body.callbacks.map(({ data }: { data: Record<string, unknown> }) => [
      data['number'],
      data['when'],
      data['note'],
    ]),
    [['+34911234567', 'tomorrow', 'about the invoice']],
  )
})

test('what a handler of call.preparing sets is read by the model in the turn that it held up (ND-91, N-425)', async (t) => {
  const { agent, said, open } = await talking(t, { preparing: { timeoutMs: 10_000 } })
  agent.on('call.preparing', async (call, { turn }) => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    return { context: `${call.from} is a gold customer, turn ${turn}` }
  })
  model.reply = ({ messages }) => {
    const context = messages.map(({ content }) => content).join(' ')
    return /is a gold customer, turn 1/.test(context) ? 'Welcome, gold customer.' : 'Who are you?'
  }
  const chat = await open()
  await chat.send('hello')
  await until('it answered', () => said.length === 1)
  assert.deepEqual(said, ['Welcome, gold customer.'])
})

test("the gateway's reason reaches the app whose agent it refuses, and a refusal about a call reaches the agent (ND-91)", async (t) => {
  const { switchroom, agent, open } = await talking(t)
  const wrong = new Agent({ name: 'Not A Slug' })
  wrong.on('error', () => {})
  await assert.rejects(switchroom.hold(wrong), {
    code: 'BAD_FRAME',
    detail:
      "an agent's name is lower-case letters, digits, - and _, at most 63, and starts with a letter or digit",
  })
  const stranger = connect({ url, key: 'svc_live_of-nobody' })
  t.after(() => stranger.close())
  const orphan = new Agent({ name: 'orphan' })
  orphan.on('error', () => {})
  await assert.rejects(stranger.hold(orphan), { code: 'INVALID_KEY' })

  const told: string[] = []
  agent.on('error', ({ code, detail }) => void told.push(`${code} ${detail}`))
  agent.on('chat.started', (call) => call.callback('12'))
  await open()
  await until('it is refused', () => told.length === 1)
  assert.deepEqual(told, ['BAD_FRAME number is one in international form, as +15550100100'])
  assert.equal(agent.state, 'ready')
})
