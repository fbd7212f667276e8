import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { connect as connectTo, type AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { chatCall, registeredAgent } from '../testing/connected.ts'
import { until } from '../testing/until.ts'
import type { Agent } from './agent.ts'
import { relay } from './relay.ts'

/** Serves the relay as an author would, and reads it as bytes. */
async function relayed(t: TestContext, agents: Agent[]) {
  const { handler, close } = relay(agents)
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    close()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const read = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'last-event-id': '0' } })
    const reader = { response, text: '', isOver: false }
    void (async () => {
      for await (const chunk of response.body ?? []) reader.text += Buffer.from(chunk).toString()
      reader.isOver = true
    })()
    return reader
  }
  return { read, close, port }
}

test('the relay sends what happens in the calls of this process as events with the agent in their data, without a cursor and without replay (N-506, N-507, N-509, N-510, N-511)', async (t) => {
  const { gateway, agent } = await registeredAgent(t)
  const { read, close } = await relayed(t, [agent])
  const seen: string[] = []
  agent.on('user.message', ({ text }) => void seen.push(text))
  gateway.event('user.message', { text: 'before', messageId: 'msg_0' })
  await until('it came', () => seen.length === 1)
  const reader = await read()
  assert.equal(reader.response.headers.get('content-type'), 'text/event-stream')
  gateway.event('chat.started', { call: chatCall })
  gateway.event('user.message', { text: 'hello', messageId: 'msg_1' })
  gateway.event('user.message', { text: 'elsewhere', messageId: 'msg_2' }, 'call_2', 'shop')
  gateway.event('call.ended', { call: { ...chatCall, reason: 'hangup' }, reason: 'hangup' })
  await until('all came', () => reader.text.includes('call.ended'))
  assert.equal(
    reader.text,
    'event: chat.started\ndata: {"agent":"desk","call":"call_1"}\n\n' +
      'event: user.message\ndata: {"text":"hello","messageId":"msg_1","agent":"desk","call":"call_1"}\n\n' +
      'event: call.ended\ndata: {"reason":"hangup","agent":"desk","call":"call_1"}\n\n',
  )
  close()
  await until('it is over', () => reader.isOver)
})

test('a quiet relay sends a ping every 30 seconds (N-508)', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { agent } = await registeredAgent(t)
  const { read } = await relayed(t, [agent])
  const reader = await read()
  t.mock.timers.tick(29_999)
  t.mock.timers.tick(1)
  await until('it came', () => reader.text !== '')
  t.mock.timers.tick(30_000)
  await until('it came again', () => reader.text.length > 7)
  assert.equal(reader.text, ':ping\n\n:ping\n\n')
})

test('a reader of the relay that does not keep up is disconnected, and the others continue', async (t) => {
  const { gateway, agent } = await registeredAgent(t)
  const { read, port } = await relayed(t, [agent])
  const slow = connectTo(port, '127.0.0.1')
  t.after(() => slow.destroy())
  slow.on('error', () => {})
  slow.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await new Promise((resolve) => slow.once('readable', resolve))
  slow.pause()
  const reader = await read()
  const text = 'x'.repeat(100_000)
  const many = 200
  for (let i = 0; i < many; i += 1) {
    gateway.event('user.message', { text, messageId: `msg_${i}` })
    await until('the other has it', () => reader.text.length > (i + 1) * text.length)
  }
  slow.resume()
  await new Promise((resolve) => slow.once('close', resolve))
  assert.ok(slow.bytesRead < many * text.length)
})
