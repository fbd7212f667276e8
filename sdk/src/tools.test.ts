import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { chatCall, registeredAgent } from '../testing/connected.ts'
import { taken, type CameFrame } from '../testing/fake-gateway.ts'
import { until } from '../testing/until.ts'
import { Agent } from './agent.ts'
import { Call } from './call.ts'
import type { SwitchroomError } from './errors.ts'
import { tool } from './tool.ts'
import { ToolRuns } from './tool-runs.ts'

const add = tool({
  name: 'add',
  description: 'Adds two numbers',
  parameters: Type.Object({ a: Type.Number(), b: Type.Optional(Type.Number()) }),
  run: ({ a, b = 0 }) => a + b,
})
const asking = (name: string, args: object | string, id = 'tool_1') => ({
  msgId: 'msg_1',
  toolCalls: [{ id, name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }],
})

test('the arguments of a tool are typed by its schema, of TypeBox or plain, and a tool is registered at the gateway with it', async (t) => {
  const book = tool({
    name: 'book',
    description: 'Books a table',
    parameters: {
      type: 'object',
      properties: { people: { type: 'integer' }, when: { type: 'string' }, where: { enum: ['in', 'out'] } },
      required: ['people', 'where'],
    },
    // @ts-expect-error it may be left out
    run: ({ when, people, where }) => [when.trim(), people.toFixed(), where === 'in'],
  })
  tool({
    name: 'typo',
    description: '',
    parameters: Type.Object({ a: Type.Number() }),
    // @ts-expect-error there is no c
    run: ({ c }) => c,
  })
  const { gateway } = await registeredAgent(t, { tools: [add, book] })
  const [{ tools }] = gateway.sent('agent.register')
  assert.deepEqual(tools[1].parameters, book.parameters)
  assert.deepEqual(tools[0], {
    name: 'add',
    description: 'Adds two numbers',
    parameters: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a'],
    },
  })
})

test('a tool of the agent is run by itself with its call and its result sent back, and llm.toolCall still fires (N-458, N-459)', async (t) => {
  const calls: Call[] = []
  const whose = tool({ name: 'whose', description: '', run: (_none, call) => void calls.push(call) })
  const { gateway, agent } = await registeredAgent(t, { tools: [add, whose] })
  const seen: unknown[] = []
  agent.on('llm.toolCall', (event) => void seen.push(event))
  gateway.event('chat.started', { call: chatCall })
  gateway.event('llm.toolCall', asking('add', { a: 2, b: 3 }))
  gateway.event('llm.toolCall', asking('whose', '', 'tool_2'))
  await until('both are answered', () => gateway.sent('tool.result').length === 2)
  assert.deepEqual(gateway.sent('tool.result'), [
    { type: 'tool.result', call: 'call_1', id: 'tool_1', result: 5 },
    { type: 'tool.result', call: 'call_1', id: 'tool_2', result: null },
  ])
  assert.deepEqual(seen, [asking('add', { a: 2, b: 3 }), asking('whose', '', 'tool_2')])
  assert.equal(calls[0]?.from, '+34911234567')
})

test('a tool that throws, is given what does not fit, or answers what cannot be sent is answered with an error, and reported to the agent', async (t) => {
  const tools = [
    add,
    tool({ name: 'broken', description: '', run: () => Promise.reject(new Error('the shop is closed')) }),
    tool({ name: 'endless', description: '', run: () => 'x'.repeat(300_000) }),
    tool({ name: 'circular', description: '', run: circular }),
    tool({ name: 'nul', description: '', run: () => 'a\0b' }),
  ]
  const { gateway, agent } = await registeredAgent(t, { tools })
  const told: SwitchroomError[] = []
  agent.on('error', (error) => void told.push(error))
  const outcome = async (name: string, args: object | string, id: string): Promise<CameFrame> => {
    gateway.event('llm.toolCall', asking(name, args, id))
    await until('it is answered', () => gateway.sent('tool.result').some((frame) => frame.id === id))
    return gateway.sent('tool.result').at(-1)
  }
  assert.equal((await outcome('broken', {}, 'tool_1')).error, 'the shop is closed')
  assert.equal(
    (await outcome('add', { b: 'x' }, 'tool_2')).error,
    'the arguments do not fit: must have required properties a; /b must be number',
  )
  assert.equal((await outcome('add', '{"a":', 'tool_3')).error, 'the arguments are not JSON')
  assert.equal(
    (await outcome('endless', {}, 'tool_4')).error,
    'a frame is at most 262144 bytes, and this one would be 300064',
  )
  assert.match((await outcome('circular', {}, 'tool_5')).error, /circular/)
  assert.equal((await outcome('nul', {}, 'tool_6')).result, 'ab')
  assert.equal(told[0]?.message, 'the tool broken failed: the shop is closed')
  assert.equal(told.length, 5)
  assert.equal(agent.state, 'ready')
})

function circular() {
  const self: Record<string, unknown> = {}
  return Object.assign(self, { self })
}

test('a tool that is asked for again runs once: while it runs it is answered when it is done, and afterwards answered again', async (t) => {
  let runs = 0
  const done = Promise.withResolvers<string>()
  const slow = tool({ name: 'slow', description: '', run: () => ((runs += 1), done.promise) })
  const { gateway } = await registeredAgent(t, { tools: [slow] })
  gateway.event('llm.toolCall', asking('slow', {}))
  gateway.event('llm.toolCall', asking('slow', {}))
  gateway.event('llm.toolCall', asking('slow', {}), 'call_2')
  await until('both calls run it', () => runs === 2)
  done.resolve('done')
  await until('both are answered', () => gateway.sent('tool.result').length === 2)
  gateway.event('llm.toolCall', asking('slow', {}))
  await until('it is answered again', () => gateway.sent('tool.result').length === 3)
  assert.deepEqual(gateway.sent('tool.result')[2], gateway.sent('tool.result')[0])
  assert.equal(runs, 2)
})

test('an unacknowledged result is sent again after a reconnect, also one from the time without a connection', async (t) => {
  let runs = 0
  const waits = Promise.withResolvers<void>()
  const slow = tool({
    name: 'slow',
    description: '',
    run: async () => ((runs += 1), await waits.promise, 'late'),
  })
  const { gateway } = await registeredAgent(t, { tools: [add, slow] })
  gateway.answer = (frame) => (frame.type === 'tool.result' ? undefined : taken(frame))
  gateway.event('llm.toolCall', asking('add', { a: 1 }))
  gateway.event('llm.toolCall', asking('slow', {}, 'tool_2'))
  await until('one is answered', () => gateway.sent('tool.result').length === 1)
  await until('the other runs', () => runs === 1)
  const { port } = gateway
  await gateway.stop()
  waits.resolve()
  gateway.frames.length = 0
  gateway.answer = taken
  await gateway.start(port)
  await until('both are answered', () => gateway.sent('tool.result').length === 2)
  assert.deepEqual(
    gateway.frames.map(({ type, id, result }) => [type, id, result]),
    [
      ['agent.register', undefined, undefined],
      ['tool.result', 'tool_1', 1],
      ['tool.result', 'tool_2', 'late'],
    ],
  )
  gateway.frames.length = 0
  gateway.breakAll()
  await until('it registered again', () => gateway.sent('agent.register').length === 1)
  gateway.event('llm.toolCall', asking('add', { a: 7 }, 'tool_3'))
  await until('that one is answered', () => gateway.sent('tool.result').length === 1)
  assert.deepEqual(
    gateway.sent('tool.result').map(({ id }) => id),
    ['tool_3'],
  )
  assert.equal(runs, 1)
})

test('a result of a call that has ended is not sent', async (t) => {
  const waits = Promise.withResolvers<string>()
  const slow = tool({ name: 'slow', description: '', run: () => waits.promise })
  const { gateway } = await registeredAgent(t, { tools: [add, slow] })
  gateway.event('llm.toolCall', asking('slow', {}))
  gateway.event('call.ended', { call: { ...chatCall, reason: 'hangup' }, reason: 'hangup' })
  gateway.event('llm.toolCall', asking('add', { a: 1 }, 'tool_2'), 'call_2')
  await until('the other call is answered', () => gateway.sent('tool.result').length === 1)
  waits.resolve('too late')
  gateway.event('llm.toolCall', asking('add', { a: 1 }, 'tool_3'), 'call_2')
  await until('the other call is answered', () => gateway.sent('tool.result').length === 2)
  assert.deepEqual(
    gateway.sent('tool.result').map(({ id }) => id),
    ['tool_2', 'tool_3'],
  )
})

test('results are kept for an hour, and never more than ten thousand that were received', async () => {
  let now = 0
  let runs = 0
  const count = tool({ name: 'count', description: '', run: () => ((runs += 1), runs) })
  const agent = new Agent({ name: 'desk', tools: [count] })
  const sent: string[] = []
  const toolRuns = new ToolRuns(
    (text) => void sent.push(text),
    () => now,
  )
  const call = new Call('call_1', 'desk', {
    send() {},
    entries: async () => [],
    search: async () => assert.fail(),
  })
  const ask = (id: string) => toolRuns.ask(agent, call, { id, name: 'count', arguments: '{}' })
  const answered = (many: number) => until('they are answered', () => sent.length === many)
  ask('first')
  await answered(1)
  toolRuns.received('call_1', 'first')
  now = 3_599_999
  ask('first')
  await answered(2)
  assert.equal(runs, 1)
  now = 3_600_000
  ask('other')
  await answered(3)
  ask('first')
  await answered(4)
  assert.equal(runs, 3)
  toolRuns.received('call_1', 'first')
  toolRuns.received('call_1', 'other')

  for (let i = 0; i < 10_000; i += 1) ask(`tool_${i}`)
  await answered(10_004)
  for (let i = 0; i < 10_000; i += 1) toolRuns.received('call_1', `tool_${i}`)
  ask('tool_0')
  await answered(10_005)
  assert.equal(runs, 10_003)
  ask('other')
  await answered(10_006)
  assert.equal(runs, 10_004)
})
