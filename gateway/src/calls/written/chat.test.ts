import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { ChatClient } from '../../../testing/calls/chat-client.ts'
import { entriesOf, startChatDeployment } from '../../../testing/calls/chat-deployment.ts'
import { until } from '../../../testing/until.ts'
import { callLog } from '../log/entries.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, model } = chats
const other = await deployment.another()

beforeEach(() => {
  model.reply = () => 'Hello.'
  model.asked.length = 0
})

const endOf = async (call: string) => {
  const [ended] = await entriesOf(deployment, call, 'call.ended')
  return ended?.data
}

test('a message is answered by the model, and both turns are in the log (ND-89, N-505)', async () => {
  const agent = await chats.newAgent({ prompt: 'You are brief.' })
  const client = await agent.chat()
  model.reply = () => 'Good morning.'
  client.say('Hello there')
  const heard = await client.next('heard')
  const answer = await client.next('message')
  assert.deepEqual(client.frames, [
    { type: 'started', call: client.call, seq: 0 },
    { type: 'heard', id: heard.id, messageId: heard.id, text: 'Hello there', seq: 2 },
    { type: 'message', text: 'Good morning.', messageId: answer.messageId, seq: answer.seq },
  ])
  const turns = await entriesOf(deployment, client.call, 'user.message', 'agent.message')
  assert.deepEqual(
    turns.map(({ type, seq, data }) => ({ type, seq, data })),
    [
      { type: 'user.message', seq: 2, data: { text: 'Hello there', messageId: heard.id } },
      {
        type: 'agent.message',
        seq: answer.seq,
        data: { text: 'Good morning.', messageId: answer.messageId, source: 'model', answers: heard.id },
      },
    ],
  )
  const [asked] = model.asked
  assert.deepEqual(asked?.messages, [
    { role: 'system', content: 'You are brief.' },
    { role: 'user', content: 'Hello there' },
  ])
})

test("the agent's app receives that a chat began, never that a call did, and how it ended (N-415, N-421, N-435, N-436, N-437, T-98)", async () => {
  const agent = await chats.newAgent()
  const client = await agent.chat({ contact: '+34911234567' })
  await client.ask('Hi')
  await client.close()
  const ended = await until('the app receives the end', () =>
    agent.app.frames.find(({ type }: { type: string }) => type === 'call.ended'),
  )
  const types = agent.app.frames.map(({ type }: { type: string }) => type)
  assert.ok(!types.includes('call.started'))
  const started = agent.app.frames.find(({ type }: { type: string }) => type === 'chat.started')
  assert.deepEqual([started.agent, started.call], [agent.slug, client.call])
  const { startedAt, ...told } = started.data.call
  assert.deepEqual(told, {
    id: client.call,
    agent: agent.slug,
    from: '+34911234567',
    to: null,
    direction: 'inbound',
    transport: 'chat',
    metadata: {},
    language: null,
    extension: null,
    routedFrom: null,
    lineTranscript: [],
  })
  const { endedAt, duration, reason, ...rest } = ended.data.call
  assert.deepEqual(rest, started.data.call)
  assert.equal(ended.data.reason, 'hangup')
  assert.equal(reason, 'hangup')
  assert.ok(endedAt >= startedAt && duration >= 0)
})

test('what is no message is refused in a sentence, and the socket stays open', async () => {
  const client = await (await chats.newAgent()).chat()
  const refusals: [sent: string | Buffer, sentence: string][] = [
    [said(' \n\t '), 'a message is 1 to 8000 characters, and not all of them blank'],
    [said(''), 'a message is 1 to 8000 characters, and not all of them blank'],
    [said('x'.repeat(8001)), 'a message is 1 to 8000 characters, and not all of them blank'],
    [said('a\0b'), 'a NUL character cannot be kept: leave it out'],
    ['{"type":"message"}', 'text: is required'],
    ['{"type":"message","text":7}', 'text: must be a string'],
    ['{"type":"message","text":"x","id":""}', "a message's id is 1 to 64 characters"],
    [`{"type":"message","text":"x","id":"${'x'.repeat(65)}"}`, "a message's id is 1 to 64 characters"],
    ['{"type":"typing"}', 'no frame is called typing'],
    ['{"text":"x"}', 'type: is required'],
    ['[]', 'a frame is one JSON object'],
    ['no JSON', 'a frame is one JSON object'],
    [Buffer.from('{}'), 'a frame is text, and this one was binary'],
  ]
  for (const [sent, sentence] of refusals) {
    client.socket.send(sent, { binary: typeof sent !== 'string' })
    assert.deepEqual(await client.next('error'), { type: 'error', detail: sentence })
  }
  assert.deepEqual(await entriesOf(deployment, client.call, 'user.message'), [])
  client.say('😀'.repeat(8000))
  await client.next('heard')
})

const said = (text: string) => JSON.stringify({ type: 'message', text })

test('a client that closes cleanly or says so has hung up (N-436)', async () => {
  const agent = await chats.newAgent()
  for (const leave of [
    (client: ChatClient) => client.close(1000),
    (client: ChatClient) => client.close(1001),
    async (client: ChatClient) => (client.socket.close(), client.closed()),
  ]) {
    const client = await agent.chat()
    await leave(client)
    assert.deepEqual(await until('it ends', () => endOf(client.call)), { reason: 'hangup' })
  }
  const client = await agent.chat()
  client.send({ type: 'end' })
  assert.equal((await client.next('ended')).reason, 'hangup')
  assert.deepEqual(await client.closed(), [1000, 'the call has ended'])
})

test('what a client wrote before it left is heard, however fast it was gone', async () => {
  const client = await (await chats.newAgent()).chat()
  const texts = ['One', 'Two', 'Three', 'Four', 'Five']
  for (const text of texts) client.say(text)
  await client.close()
  await until('it ends', () => endOf(client.call))
  const turns = await entriesOf(deployment, client.call, 'user.message')
  assert.deepEqual(
    turns.map(({ data }) => data.text),
    texts,
  )
})

test('a client that lost its connection resumes on any gateway', async () => {
  const agent = await chats.newAgent()
  const client = await agent.chat()
  await client.ask('One')
  const { call, seq } = client
  const answering = Promise.withResolvers<string>()
  model.reply = () => answering.promise
  client.say('Two')
  await client.next('heard')
  await client.cut()
  answering.resolve('The second.')
  await until('it is answered', async () => (await entriesOf(deployment, call, 'agent.message')).length === 2)
  assert.equal(await endOf(call), undefined)
  for (const at of [deployment, other]) {
    const back = await agent.chat({ call, after: String(seq) }, at)
    const message = await back.next('message')
    assert.deepEqual(
      back.frames.map(({ type }) => type),
      ['started', 'heard', 'message'],
    )
    assert.deepEqual([back.frames[0], message.text], [{ type: 'started', call, seq }, 'The second.'])
    await back.cut()
  }
  const whole = await agent.chat({ call }, other)
  model.reply = () => 'The third.'
  whole.say('Three')
  await until('all came', () => whole.frames.length === 7)
  assert.deepEqual(
    whole.frames.map((frame) => ('text' in frame ? frame.text : frame.type)),
    ['started', 'One', 'Hello.', 'Two', 'The second.', 'Three', 'The third.'],
  )
})

test('a call that has ended is shown once more to a client that resumes', async () => {
  const agent = await chats.newAgent()
  const client = await agent.chat()
  await client.ask('Hi')
  await client.close()
  await until('it ends', () => endOf(client.call))
  const back = await agent.chat({ call: client.call, after: '2' })
  assert.equal((await back.next('message')).text, 'Hello.')
  assert.equal((await back.next('ended')).reason, 'hangup')
  assert.deepEqual(await back.closed(), [1000, 'the call has ended'])
})

test('a message sent again under its id is taken once, also by two clients concurrently', async () => {
  const agent = await chats.newAgent()
  const client = await agent.chat()
  const twin = await agent.chat({ call: client.call }, other)
  for (let n = 0; n < 5; n += 1) {
    client.say(`Hello ${n}`, `m${n}`)
    twin.say(`Hello ${n}`, `m${n}`)
    client.say('Something else', `m${n}`)
  }
  const heardBy = ({ frames }: ChatClient) => frames.filter((frame) => frame.type === 'heard')
  for (const [each, last] of [
    [client, 'of the first'],
    [twin, 'of the twin'],
  ] as const) {
    each.say('Done', last)
    await until('all of theirs is heard', () => heardBy(each).some(({ id }) => id === last))
  }
  const turns = (await entriesOf(deployment, client.call, 'user.message')).filter(
    ({ data }) => data.text !== 'Done',
  )
  assert.deepEqual(
    turns.map(({ data }) => data),
    Array.from({ length: 5 }, (_, n) => ({ text: `Hello ${n}`, messageId: `m${n}` })),
  )
  const kept = new Map(turns.map(({ seq, data }) => [data.messageId, { seq, text: data.text }]))
  for (const { id, messageId, seq, text } of [...heardBy(client), ...heardBy(twin)])
    if (text !== 'Done') assert.deepEqual([messageId, { seq, text }], [id, kept.get(id)])
})

test('a message under an id that no index holds is kept, and is not taken for a shorter one', async () => {
  const agent = await chats.newAgent()
  const client = await agent.chat()
  const long = randomBytes(8000).toString('hex')
  const ref = callLog({ id: client.call, org: chats.org.id, env: 'sandbox', agent: agent.slug })
  const entry = { type: 'user.message', data: { text: 'Long', messageId: long } }
  await deployment.gateway.services.log.append(ref, [entry])
  client.say('Short', long.slice(0, 64))
  await until('both are heard', () => client.frames.filter(({ type }) => type === 'heard').length === 2)
  const turns = await entriesOf(deployment, client.call, 'user.message')
  assert.deepEqual(
    turns.map(({ data }) => data.text),
    ['Long', 'Short'],
  )
})

test('two clients of one call both see all of it', async () => {
  const agent = await chats.newAgent()
  const client = await agent.chat()
  const second = await agent.chat({ call: client.call }, other)
  await client.ask('From the first')
  second.say('From the second')
  for (const { frames } of [client, second])
    await until('both saw it', () => frames.filter(({ type }) => type === 'message').length === 2)
  assert.deepEqual(client.frames.slice(1), second.frames.slice(1))
  await deployment.gateway.services.log.append(
    { id: client.call, org: chats.org.id, env: 'sandbox', agent: agent.slug, call: client.call },
    [{ type: 'agent.message', data: { text: 'By a person', messageId: 'p', source: 'human' } }],
  )
  await until('both saw it', () =>
    [client, second].every(({ frames }) => JSON.stringify(frames.at(-1)).includes('By a person')),
  )
  await client.close()
  assert.equal((await second.next('ended')).reason, 'hangup')
})

test('a client that does not read is disconnected and blocks no other', async () => {
  const agent = await chats.newAgent()
  const client = await agent.chat()
  const reader = await agent.chat({ call: client.call })
  client.socket.pause()
  const ref = {
    id: client.call,
    org: chats.org.id,
    env: 'sandbox' as const,
    agent: agent.slug,
    call: client.call,
  }
  const entries = Array.from({ length: 100 }, (_, n) => {
    return { type: 'agent.message', data: { text: 'x'.repeat(8000), messageId: `m${n}`, source: 'say' } }
  })
  for (let n = 1; n <= 20; n += 1) {
    await deployment.gateway.services.log.append(ref, entries)
    await until('the reader keeps up', () => reader.frames.length === 100 * n + 1)
  }
  client.socket.resume()
  assert.deepEqual(await client.closed(), [1006, ''])
  assert.equal(await endOf(client.call), undefined)
  const back = await agent.chat({ call: client.call, after: String(client.seq) })
  await until('it has the rest', () => back.seq === reader.seq)
  assert.equal(client.frames.length + back.frames.length, 2002)
})

test("a chat whose key is revoked is closed within five seconds, and so is one of an agent that is no longer its person's", async () => {
  const agent = await chats.newAgent()
  const revoked = await chats.org.serverToken('sandbox', { scopes: ['talk'] })
  const client = await ChatClient.connect(deployment.url, revoked.key, { agent: agent.slug })
  const admin = await chats.org.person('admin')
  const narrowed = await chats.org.person('supervisor', { agents: [agent.slug] })
  const theirs = await ChatClient.connect(deployment.url, narrowed.key, { agent: agent.slug })
  await Promise.all([client.next('started'), theirs.next('started')])
  await admin.client.post(`/v1/keys/${revoked.key_id}/revoke`)
  await admin.client.patch(`/v1/members/${narrowed.id}`, { agents: ['another'] })
  const begun = Date.now()
  assert.equal((await client.closed())[0], 1008)
  assert.deepEqual(await theirs.closed(), [1008, 'this key works on another alone'])
  assert.ok(Date.now() - begun < 5000)
  assert.equal(await endOf(client.call), undefined)
})

test('a message that comes too late is refused', async () => {
  const agent = await chats.newAgent()
  const client = await agent.chat()
  const twin = await agent.chat({ call: client.call }, other)
  await deployment.sql(`update logs set sealed = true where id = $1`, [client.call])
  twin.say('Too late')
  assert.deepEqual(await twin.next('error'), { type: 'error', detail: 'this call has ended' })
  twin.say('Too late', 'again')
  assert.deepEqual(await twin.next('error'), { type: 'error', detail: 'this call has ended' })
})
