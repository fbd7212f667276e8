import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatCall, registeredAgent } from '../testing/connected.ts'
import { until } from '../testing/until.ts'
import { tool } from './tool.ts'

const message = (seq: number, text: string, type = 'user.message') => ({
  type,
  agent: 'desk',
  call: 'call_1',
  seq,
  data: { text, messageId: text },
})

test('each event is acknowledged once its handlers were called, many together', async (t) => {
  const { gateway, agent } = await registeredAgent(t)
  const heard: string[] = []
  agent.on('user.message', ({ text }) => void heard.push(text))
  gateway.send({ type: 'chat.started', agent: 'desk', call: 'call_1', seq: 1, data: { call: chatCall } })
  gateway.send(message(2, 'one'))
  gateway.send(message(4, 'two'))
  gateway.send({ ...message(1, 'elsewhere'), call: 'call_2' })
  const acked = new Map<string, number>()
  await until('all are acknowledged', () => {
    for (const { calls } of gateway.sent('events.ack'))
      for (const { call, seq } of calls) acked.set(call, seq)
    return acked.get('call_1') === 4 && acked.get('call_2') === 1
  })
  assert.deepEqual(heard, ['one', 'two', 'elsewhere'])
})

test('what a gateway sends again after a restart is not handled twice, and is acknowledged again', async (t) => {
  const { gateway, agent } = await registeredAgent(t)
  const heard: string[] = []
  agent.on('user.message', ({ text }) => void heard.push(text))
  agent.on('msgapp.message', ({ text }) => void heard.push(`msgapp ${text}`))
  agent.on('call.ended', () => void heard.push('ended'))
  const end = { type: 'call.ended', agent: 'desk', call: 'call_1', seq: 5, data: { reason: 'hangup' } }
  const all = [
    { ...message(2, 'one'), more: true },
    message(2, 'one', 'msgapp.message'),
    { ...message(4, 'two'), more: true },
    message(4, 'two', 'msgapp.message'),
    end,
  ]
  for (const frame of all.slice(0, 3)) gateway.send(frame)
  await until('they came', () => heard.length === 3 && gateway.sent('events.ack').length > 0)
  assert.equal(gateway.sent('events.ack').at(-1).calls[0].seq, 2)
  const { port } = gateway
  await gateway.stop()
  await until('it noticed', () => agent.state === 'pending')
  await gateway.start(port)
  await agent.ready
  gateway.frames.length = 0
  for (const frame of [...all, ...all]) gateway.send(frame)
  await until('the end is acknowledged', () =>
    gateway.sent('events.ack').some(({ calls }) => calls[0].seq === 5),
  )
  assert.deepEqual(heard, ['one', 'msgapp one', 'two', 'msgapp two', 'ended'])
})

test('a tool call that comes again is answered again and handled once', async (t) => {
  let runs = 0
  const book = tool({ name: 'book', description: 'Books', run: () => (runs += 1) })
  const { gateway, agent } = await registeredAgent(t, { tools: [book] })
  let handled = 0
  agent.on('llm.toolCall', () => void (handled += 1))
  const asked = {
    type: 'llm.toolCall',
    agent: 'desk',
    call: 'call_1',
    seq: 3,
    data: { msgId: 'm', toolCalls: [{ id: 'tool_1', name: 'book', arguments: '{}' }] },
  }
  const { seq: _unsaid, ...byOtherSocket } = asked
  for (const [n, frame] of [asked, asked, byOtherSocket].entries()) {
    gateway.send(frame)
    await until('it is answered', () => gateway.sent('tool.result').length === n + 1)
  }
  assert.deepEqual([runs, handled], [1, 1])
})

test('what is not acknowledged yet is acknowledged as the process closes', async (t) => {
  const { gateway, agent, switchroom } = await registeredAgent(t)
  const came = new Promise<void>((resolve) => agent.on('user.message', () => resolve()))
  gateway.send(message(2, 'one'))
  await came
  await switchroom.close()
  await until('it is acknowledged', () => gateway.sent('events.ack').length > 0)
  assert.deepEqual(gateway.sent('events.ack'), [{ type: 'events.ack', calls: [{ call: 'call_1', seq: 2 }] }])
})

test('a gateway that sends no seq is sent no acknowledgement', async (t) => {
  const { gateway, agent, switchroom } = await registeredAgent(t)
  const came = new Promise<void>((resolve) => agent.on('user.message', () => resolve()))
  gateway.event('user.message', { text: 'x', messageId: 'm' })
  await came
  await switchroom.close()
  assert.deepEqual(gateway.sent('events.ack'), [])
})
