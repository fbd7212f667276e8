import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { chatCall, connectedTo } from '../testing/connected.ts'
import { fakeGateway } from '../testing/fake-gateway.ts'
import { until } from '../testing/until.ts'
import { Agent } from './agent.ts'
import { Call } from './call.ts'
import type { SwitchroomError } from './errors.ts'
import { PhoneLine } from './line.ts'

const number = '+34911111111'
const phoneCall = { ...chatCall, transport: 'phone', to: number, extension: '12' }

async function heldLine(t: TestContext) {
  const gateway = await fakeGateway(t)
  const switchroom = connectedTo(t, gateway)
  const line = new PhoneLine({ number, extensionMs: 3000 })
  await switchroom.hold(line)
  /** A frame to the line itself, as against one to an agent in the same process. */
  const toLine = (type: string, data: object) =>
    gateway.send({ type, line: number, agent: 'desk', call: 'call_1', data })
  const ring = () => gateway.event('call', { line: number, call: phoneCall })
  return { gateway, switchroom, line, toLine, ring }
}

test('a line is ready once the gateway registered it, pending across a reconnect, and ready again after (N-472, N-473)', async (t) => {
  const gateway = await fakeGateway(t)
  const switchroom = connectedTo(t, gateway)
  const line = new PhoneLine({ number, extensionMs: 3000 })
  const states: string[] = []
  line.on('ready', () => void states.push(line.state))
  switchroom.on('disconnected', () => void states.push(line.state))
  assert.equal(line.state, 'pending')
  await switchroom.hold(line)
  assert.deepEqual(gateway.frames, [{ type: 'line.register', number, extensionMs: 3000, acknowledges: true }])
  const firstReady = line.ready
  gateway.breakAll()
  await until('it is pending', () => line.state === 'pending')
  assert.notEqual(line.ready, firstReady)
  await line.ready
  await until('it is ready again', () => states.length === 3)
  assert.deepEqual(states, ['ready', 'pending', 'ready'])
  assert.equal(gateway.sent('line.register').length, 2)
})

test('a refused line reports its code, and one that another process has is requested again (ND-93)', async (t) => {
  const gateway = await fakeGateway(t)
  const codes = ['LINE_CONFLICT', 'LINE_CONFLICT', 'PHONE_NOT_IN_ORG']
  gateway.answer = () => ({ type: 'error', agent: null, number, code: codes.shift(), detail: 'taken' })
  const line = new PhoneLine({ number })
  const told: SwitchroomError[] = []
  line.on('error', (error) => void told.push(error))
  await assert.rejects(connectedTo(t, gateway).hold(line), { code: 'LINE_CONFLICT', message: 'taken' })
  assert.equal(line.state, 'refused')
  await until('it asked again', () => told.length === 3)
  assert.equal(told[2]?.code, 'PHONE_NOT_IN_ORG')
  assert.equal(gateway.sent('line.register').length, 3)
})

test('a call comes to the line, whose events it gets until it has handed the call to an agent (N-409, ND-91)', async (t) => {
  const { gateway, switchroom, line, toLine, ring } = await heldLine(t)
  const desk = new Agent({ name: 'desk' })
  await switchroom.hold(desk)
  const seen: string[] = []
  const note = (whose: string) => (event: { text: string }, call: Call) =>
    void seen.push(`${whose} heard ${event.text} of ${call.id}`)
  line.on('user.message', note('line'))
  desk.on('user.message', note('desk'))
  desk.on(
    'call.started',
    ({ routedFrom, extension }) => void seen.push(`desk has ${routedFrom} ${extension}`),
  )
  line.on('call.routed', ({ callId, agent }, call) => void seen.push(`${callId} to ${agent} ${call.id}`))
  line.on('call.ended', (call, reason) => void seen.push(`line lost ${call.id} ${reason}`))
  const rang = Promise.withResolvers<Call>()
  line.on('call', rang.resolve)
  ring()
  const call = await rang.promise
  assert.equal(call.extension, '12')
  gateway.event('user.message', { text: 'sales, please', messageId: 'msg_1' })
  const routing = line.route(call, desk)
  await until('it is asked', () => gateway.sent('call.route').length === 1)
  assert.deepEqual(gateway.sent('call.route'), [{ type: 'call.route', call: 'call_1', agent: 'desk' }])
  toLine('call.routed', { callId: 'call_1', agent: 'desk' })
  toLine('call.ended', { call: phoneCall, reason: 'routed' })
  gateway.event('call.routed', { callId: 'call_1', agent: 'desk' })
  gateway.event('call.started', { call: { ...phoneCall, routedFrom: number } })
  gateway.event('user.message', { text: 'hello', messageId: 'msg_2' })
  assert.deepEqual(await routing, { routed: true })
  await until('the agent heard', () => seen.length === 5)
  assert.deepEqual(seen, [
    'line heard sales, please of call_1',
    'call_1 to desk call_1',
    'line lost call_1 routed',
    `desk has ${number} 12`,
    'desk heard hello of call_1',
  ])
})

test('an agent that hears of a call before the line knows that it was handed over keeps it (N-409, ND-91)', async (t) => {
  const { gateway, switchroom, line, toLine, ring } = await heldLine(t)
  const desk = new Agent({ name: 'desk' })
  await switchroom.hold(desk)
  const seen: string[] = []
  line.on('call.routed', () => void seen.push('line handed over'))
  line.on('call.ended', (_call, reason) => void seen.push(`line ${reason}`))
  desk.on('user.message', ({ text }) => void seen.push(`desk heard ${text}`))
  desk.on('call.ended', (_call, reason) => void seen.push(`desk ${reason}`))
  ring()
  gateway.event('call.routed', { callId: 'call_1', agent: 'desk' })
  gateway.event('call.started', { call: { ...phoneCall, routedFrom: number } })
  toLine('call.routed', { callId: 'call_1', agent: 'desk' })
  toLine('call.ended', { call: phoneCall, reason: 'routed' })
  gateway.event('user.message', { text: 'hello', messageId: 'msg_1' })
  gateway.event('call.ended', { call: { ...phoneCall, reason: 'hangup' }, reason: 'hangup' })
  await until('it ended', () => seen.length === 4)
  assert.deepEqual(seen, ['line handed over', 'line routed', 'desk heard hello', 'desk hangup'])
})

test('a call that could not be handed over stays with the line, and says why (N-409, ND-91)', async (t) => {
  const { gateway, line, toLine, ring } = await heldLine(t)
  const failed: unknown[] = []
  const heard: string[] = []
  line.on('call.route_failed', (event) => void failed.push(event))
  line.on('user.message', ({ text }) => void heard.push(text))
  const rang = Promise.withResolvers<Call>()
  line.on('call', rang.resolve)
  ring()
  const call = await rang.promise
  const routing = line.route(call, 'shop')
  toLine('call.route_failed', { callId: 'call_1', agent: 'shop', reason: 'offline' })
  assert.deepEqual(await routing, { routed: false, reason: 'offline' })
  assert.deepEqual(failed, [{ callId: 'call_1', agent: 'shop', reason: 'offline' }])
  gateway.event('user.message', { text: 'still there?', messageId: 'msg_1' })
  const again = line.route(call, 'shop')
  gateway.event('call.ended', { call: { ...phoneCall, reason: 'hangup' }, reason: 'hangup' })
  assert.deepEqual(await again, { routed: false, reason: 'ended' })
  assert.deepEqual(heard, ['still there?'])
})

test('a call that the gateway does not let the line hand over stays with it, and the refusal is reported (N-409, ND-91)', async (t) => {
  const { gateway, switchroom, line, ring } = await heldLine(t)
  await switchroom.hold(new Agent({ name: 'shop' }))
  const told: string[] = []
  line.on('error', ({ code }) => void told.push(code))
  const rang = Promise.withResolvers<Call>()
  line.on('call', rang.resolve)
  ring()
  const routing = line.route(await rang.promise, 'shop')
  const refusal = { code: 'AGENT_NOT_ALLOWED', detail: 'this key works on desk alone' }
  gateway.send({ type: 'error', agent: 'shop', call: 'call_1', ...refusal })
  assert.deepEqual(await routing, { routed: false, reason: 'refused' })
  assert.deepEqual(told, ['AGENT_NOT_ALLOWED'])
})

test('a call that was to be handed over when the connection broke is asked for again once the line is ready (N-473, ND-91)', async (t) => {
  const { gateway, line, toLine, ring } = await heldLine(t)
  const rang = Promise.withResolvers<Call>()
  line.on('call', rang.resolve)
  ring()
  const call = await rang.promise
  const routing = line.route(call, 'shop')
  await until('it is asked', () => gateway.sent('call.route').length >= 1)
  gateway.breakAll()
  await until('it is pending', () => line.state === 'pending')
  void line.route(call, 'sales')
  await line.ready
  await until('it is asked again', () => gateway.sent('call.route').length >= 2)
  assert.deepEqual(
    gateway.frames.map(({ type, agent }) => [type, agent]),
    [
      ['line.register', undefined],
      ['call.route', 'shop'],
      ['line.register', undefined],
      ['call.route', 'sales'],
    ],
  )
  toLine('call.routed', { callId: 'call_1', agent: 'sales' })
  assert.deepEqual(await routing, { routed: true })
})

test('a line that is not connected routes nothing', () => {
  const line = new PhoneLine({ number })
  const call = new Call('call_1', 'desk', {
    send() {},
    entries: async () => [],
    search: async () => assert.fail(),
  })
  assert.throws(() => line.route(call, 'desk'), {
    message: `the line ${number} is not connected: call hold() with it first`,
  })
})
