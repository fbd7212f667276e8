import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { key } from '../testing/connected.ts'
import { fakeGateway, type CameFrame } from '../testing/fake-gateway.ts'
import { until } from '../testing/until.ts'
import { openChat, type ChatOptions } from './chat.ts'

async function chatAt(t: TestContext) {
  const gateway = await fakeGateway(t)
  gateway.greet = (socket) => socket.send(JSON.stringify({ type: 'started', call: 'call_1', seq: 1 }))
  let seq = 1
  gateway.answer = ({ type, id }: CameFrame) =>
    type === 'message' ? { type: 'heard', id, messageId: id, seq: (seq += 1) } : undefined
  const open = (more: Partial<ChatOptions> = {}) => {
    const chat = openChat({ url: gateway.url, key, agent: 'desk', contact: '+34911234567', ...more })
    t.after(() => chat.end())
    return chat
  }
  return { gateway, open }
}

test('a chat starts a call with the agent, and what is sent is kept before it settles (ND-89)', async (t) => {
  const { gateway, open } = await chatAt(t)
  const chat = open()
  const said: string[] = []
  chat.on('message', ({ text }) => void said.push(text))
  await chat.send('hello')
  assert.equal(await chat.started, 'call_1')
  assert.equal(gateway.upgrades[0]?.url, '/v1/chat?agent=desk&contact=%2B34911234567')
  assert.equal(gateway.upgrades[0]?.headers['authorization'], `Bearer ${key}`)
  gateway.send({ type: 'message', text: 'good morning', messageId: 'msg_1', seq: 3 })
  await until('it came', () => said.length === 1)
  const ended = new Promise((resolve) => chat.on('ended', resolve))
  gateway.send({ type: 'ended', reason: 'idle_timeout', seq: 4 })
  assert.equal(await ended, 'idle_timeout')
  await assert.rejects(chat.send('still there?'), {
    message: 'the conversation has ended: open another with openChat',
  })
})

test('a chat whose connection broke continues in the same call, after what it has seen, and sends unacknowledged messages again (ND-89)', async (t) => {
  const { gateway, open } = await chatAt(t)
  const chat = open()
  const said: string[] = []
  chat.on('message', ({ text }) => void said.push(text))
  await chat.started
  gateway.send({ type: 'message', text: 'one', messageId: 'msg_1', seq: 2 })
  await until('it came', () => said.length === 1)
  const hears = gateway.answer
  gateway.answer = () => undefined
  const sending = chat.send('hello')
  await until('it arrived', () => gateway.sent('message').length === 1)
  gateway.answer = hears
  gateway.breakAll()
  await sending
  assert.equal(gateway.upgrades[1]?.url, '/v1/chat?agent=desk&contact=%2B34911234567&call=call_1&after=2')
  const [first, second] = gateway.sent('message')
  assert.deepEqual(first, second)
  gateway.send({ type: 'message', text: 'one', messageId: 'msg_1', seq: 2 })
  gateway.send({ type: 'message', text: 'two', messageId: 'msg_2', seq: 3 })
  await until('it came', () => said.length === 2)
  assert.deepEqual(said, ['one', 'two'])
})

test('a chat that is refused fails with the sentence, and a message that is refused fails alone (ND-89)', async (t) => {
  const { gateway, open } = await chatAt(t)
  const chat = open()
  await chat.started
  gateway.answer = () => ({ type: 'error', detail: 'a message is 1 to 8000 characters' })
  await assert.rejects(chat.send(' '), { message: 'a message is 1 to 8000 characters' })
  gateway.refusal = { status: 409, detail: 'nobody holds desk' } // as a gateway from before codes
  const refused = open()
  await assert.rejects(refused.started, { code: 'HTTP_409', message: 'nobody holds desk' })
  await assert.rejects(refused.send('hello'), {
    message: 'the conversation has ended: open another with openChat',
  })
})

test('a chat that is ended before it has started rejects its start', async (t) => {
  const { gateway, open } = await chatAt(t)
  gateway.greet = () => {}
  const chat = open()
  const sending = assert.rejects(chat.send('hello'), {
    message: 'the conversation has ended: open another with openChat',
  })
  await until('it is connected', () => gateway.isConnected)
  await chat.end()
  await assert.rejects(chat.started, { message: 'the conversation has ended: open another with openChat' })
  await sending
})

test('a chat says what is known about the contact as it opens, and not again as it reconnects', async (t) => {
  const { gateway, open } = await chatAt(t)
  const chat = open({ metadata: { name: 'Ana', visits: 3 } })
  await chat.started
  const query = (at: number) => new URLSearchParams(gateway.upgrades[at]?.url.split('?')[1])
  assert.equal(query(0).get('metadata'), '{"name":"Ana","visits":3}')
  gateway.breakAll()
  await until('it is back', () => gateway.upgrades.length === 2)
  assert.deepEqual([query(1).get('call'), query(1).get('metadata')], ['call_1', null])
})
