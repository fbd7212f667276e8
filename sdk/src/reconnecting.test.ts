import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatCall, connectedTo, registeredAgent, key } from '../testing/connected.ts'
import { fakeGateway, taken } from '../testing/fake-gateway.ts'
import { until } from '../testing/until.ts'
import { Agent } from './agent.ts'
import { BackOff } from './back-off.ts'
import type { Call } from './call.ts'
import type { SwitchroomError } from './errors.ts'
import { connect, Switchroom } from './switchroom.ts'
import { tool } from './tool.ts'

test('one socket holds several agents, with the key, the environment and what each class declares', async (t) => {
  const gateway = await fakeGateway(t)
  const switchroom = connect({ url: `${gateway.url}/`, key, env: 'production', app: 'front desk' })
  t.after(() => switchroom.close())
  const desk = new Agent({
    name: 'desk',
    prompt: 'Be brief.',
    settings: { greeting: { say: 'Hello' }, voice: { voice: 'nova', tts: 'local' } },
    preparing: { timeoutMs: 500 },
    analysis: { send_audio_metrics: true },
  })
  await switchroom.hold(desk, new Agent({ name: 'shop' }))
  assert.equal(gateway.upgrades.length, 1)
  assert.equal(gateway.upgrades[0]?.url, '/v1/apps')
  assert.equal(gateway.upgrades[0]?.headers['authorization'], `Bearer ${key}`)
  assert.equal(gateway.upgrades[0]?.headers['svc-env'], 'production')
  const [first, second] = gateway.frames
  assert.ok(first.instance.length > 10)
  assert.deepEqual(first, {
    type: 'agent.register',
    agent: 'desk',
    instance: first.instance,
    app: 'front desk',
    prompt: 'Be brief.',
    declares: { greeting: { say: 'Hello' }, voice: { voice: 'nova', tts: 'local' } },
    tools: [],
    preparing: { timeoutMs: 500 },
    analysis: { send_audio_metrics: true },
    acknowledges: true,
    holders: true,
  })
  assert.deepEqual(second, {
    type: 'agent.register',
    agent: 'shop',
    instance: first.instance,
    app: 'front desk',
    tools: [],
    acknowledges: true,
    holders: true,
  })
})

test('the address, the key and the environment come from SVC_URL, SVC_KEY and SVC_ENV by default', async (t) => {
  const gateway = await fakeGateway(t)
  const set = { SVC_URL: gateway.url, SVC_KEY: 'svc_live_set', SVC_ENV: 'sandbox' }
  Object.assign(process.env, set)
  t.after(() => {
    for (const name of Object.keys(set)) delete process.env[name]
  })
  const switchroom = connect()
  t.after(() => switchroom.close())
  await switchroom.hold(new Agent({ name: 'desk' }))
  assert.equal(gateway.upgrades[0]?.headers['authorization'], 'Bearer svc_live_set')
  assert.equal(gateway.upgrades[0]?.headers['svc-env'], 'sandbox')
  delete process.env['SVC_KEY']
  assert.throws(() => connect(), { code: 'NO_KEY', message: 'no key: set SVC_KEY or pass `key`' })
  assert.throws(() => new Switchroom({ key, url: 'gateway:8080' }), {
    code: 'BAD_URL',
    message: 'gateway:8080 is not an address: it must start with http:// or https://',
  })
})

test('a process whose gateway is gone tries until it is back, registers again as the same instance, and sends what the app said meanwhile', async (t) => {
  const { gateway, switchroom, agent } = await registeredAgent(t)
  let call: Call | undefined
  agent.on('chat.started', (started) => (call = started))
  gateway.event('chat.started', { call: chatCall })
  await until('it started', () => call !== undefined)
  const reasons: string[] = []
  switchroom.on('disconnected', (reason) => void reasons.push(reason))
  const { port } = gateway
  const [{ instance }] = gateway.sent('agent.register')
  await gateway.stop()
  await until('it tried in vain', () => reasons.length > 2)
  assert.equal(agent.state, 'pending')
  assert.match(reasons.at(-1) ?? '', /ECONNREFUSED/)
  call?.say('Still here')
  call?.callback('+34911234567')
  gateway.frames.length = 0
  await gateway.start(port)
  await agent.ready
  await until('it said it', () => gateway.frames.length >= 3)
  assert.deepEqual(gateway.frames, [
    { type: 'agent.register', agent: 'desk', instance, tools: [], acknowledges: true, holders: true },
    { type: 'call.say', call: 'call_1', text: 'Still here' },
    { type: 'call.callback', call: 'call_1', number: '+34911234567' },
  ])
  gateway.event('user.message', { text: 'x', messageId: 'msg_1' })
  assert.equal(agent.state, 'ready')
})

test('a gateway that says nothing for a minute is not there any more, and is looked for again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { gateway, agent } = await registeredAgent(t)
  const turns = async (isSo: () => boolean) => {
    const deadlineMs = performance.now() + 10_000
    while (!isSo() && performance.now() < deadlineMs) await new Promise(setImmediate)
  }
  t.mock.timers.tick(59_999)
  for (let i = 0; i < 1000; i += 1) await new Promise(setImmediate)
  assert.equal(agent.state, 'ready')
  t.mock.timers.tick(1)
  await turns(() => agent.state === 'pending')
  t.mock.timers.tick(200)
  await turns(() => agent.state === 'ready')
  assert.equal(agent.state, 'ready')
  assert.equal(gateway.upgrades.length, 2)
})

test('a gateway that is busy or starting is waited for, and a refused key rejects what waits', async (t) => {
  const gateway = await fakeGateway(t)
  gateway.refusal = { status: 503, detail: 'not yet' }
  const switchroom = connectedTo(t, gateway)
  const agent = new Agent({ name: 'desk' })
  const told: SwitchroomError[] = []
  agent.on('error', (error) => void told.push(error))
  const held = switchroom.hold(agent)
  await until('it tried twice', () => gateway.upgrades.length >= 2)
  assert.equal(agent.state, 'pending')
  gateway.refusal = { status: 401, detail: 'this key was revoked' }
  await assert.rejects(held, {
    code: 'UNAUTHORIZED',
    message: 'this key was revoked',
    detail: 'this key was revoked',
  })
  const tries = gateway.upgrades.length
  await until('it went on trying', () => gateway.upgrades.length >= tries + 2)
  assert.equal(told.length, 1)
  gateway.refusal = undefined
  await until('it is held', () => agent.state === 'ready')
  await agent.ready
})

test('a refused registration rejects with the code and the sentence, and the other agents are registered', async (t) => {
  const gateway = await fakeGateway(t)
  const detail = "an agent's name is lower-case letters"
  gateway.answer = (frame) =>
    frame.agent === 'Desk' ? { type: 'error', agent: 'Desk', code: 'BAD_FRAME', detail } : taken(frame)
  const switchroom = connectedTo(t, gateway)
  const [wrong, shop] = [new Agent({ name: 'Desk' }), new Agent({ name: 'shop' })]
  const told: SwitchroomError[] = []
  wrong.on('error', (error) => void told.push(error))
  await assert.rejects(switchroom.hold(wrong, shop), { code: 'BAD_FRAME', detail })
  await assert.rejects(wrong.ready, { code: 'BAD_FRAME', detail })
  await shop.ready
  assert.equal(wrong.state, 'refused')
  assert.deepEqual(
    told.map(({ code, message }) => [code, message]),
    [['BAD_FRAME', detail]],
  )
})

test('a prompt that no frame can carry is refused before it is sent', async (t) => {
  const gateway = await fakeGateway(t)
  const agent = new Agent({ name: 'desk', prompt: '語'.repeat(100_000) })
  agent.on('error', () => {})
  await assert.rejects(connectedTo(t, gateway).hold(agent), { code: 'FRAME_TOO_LONG' })
  assert.deepEqual(gateway.frames, [])
})

test('an error frame about a call goes to its agent and leaves it held, one about nothing to the connection', async (t) => {
  const { gateway, switchroom, agent } = await registeredAgent(t)
  const told: string[] = []
  agent.on('error', ({ code }) => void told.push(`agent ${code}`))
  switchroom.on('error', ({ code }) => void told.push(`connection ${code}`))
  gateway.event('chat.started', { call: chatCall })
  gateway.send({
    type: 'error',
    agent: null,
    call: 'call_1',
    code: 'BAD_FRAME',
    detail: 'this call has ended',
  })
  gateway.send({ type: 'error', agent: null, code: 'BAD_FRAME', detail: 'a frame is one JSON object' })
  await until('both came', () => told.length === 2)
  assert.deepEqual(told, ['agent BAD_FRAME', 'connection BAD_FRAME'])
  assert.equal(agent.state, 'ready')
})

test('an unreadable frame is reported, and the connection continues', async (t) => {
  const { gateway, agent } = await registeredAgent(t)
  const heard: string[] = []
  const warned: string[] = []
  const onWarning = ({ name, message }: Error) => {
    if (name === 'SwitchroomWarning') warned.push(message)
  }
  process.on('warning', onWarning)
  t.after(() => process.off('warning', onWarning))
  agent.on('user.message', ({ text }) => void heard.push(text))
  gateway.event('llm.toolCall', { msgId: 'msg_1' })
  gateway.event('msgapp.started', { call: chatCall })
  gateway.send([])
  gateway.event('something.new', { of: 'a later version' })
  gateway.event('user.message', { text: 'hello', messageId: 'msg_2' })
  await until('it heard', () => heard.length >= 1 && warned.length >= 2)
  assert.match(warned[0] ?? '', /^could not read a frame of the gateway: /)
  assert.equal(agent.state, 'ready')
})

test('a handler that throws is reported to the agent, and the connection continues', async (t) => {
  const { gateway, agent } = await registeredAgent(t)
  const told: SwitchroomError[] = []
  const heard: string[] = []
  agent.on('error', (error) => {
    told.push(error)
    throw new Error('also broken')
  })
  agent.on('user.message', () => {
    throw new Error('broken')
  })
  agent.on('user.message', async ({ text }) => {
    heard.push(text)
    throw new Error(`late ${text}`)
  })
  const warned: Error[] = []
  const onWarning = (warning: Error) => {
    if (warning.name === 'SwitchroomError') warned.push(warning)
  }
  process.on('warning', onWarning)
  t.after(() => process.off('warning', onWarning))
  gateway.event('user.message', { text: 'one', messageId: 'msg_1' })
  gateway.event('user.message', { text: 'two', messageId: 'msg_2' })
  await until('all were reported', () => told.length >= 4 && warned.length >= 4)
  assert.deepEqual(heard, ['one', 'two'])
  assert.equal(told[0]?.message, 'a handler of user.message failed: broken')
  assert.equal(warned[0]?.message, 'a handler of error failed: also broken')
})

test('a turn continues as soon as the handlers of call.preparing settle, with what they set; without one or with a broken one at once', async (t) => {
  const { gateway, agent } = await registeredAgent(t)
  const prepare = (turn: number) => gateway.event('call.preparing', { call: chatCall, turn, budgetMs: 150 })
  const settled = (many: number) =>
    until('the turn is released', () => gateway.sent('preparing.settled').length === many)
  prepare(1)
  await settled(1)
  const facts = Promise.withResolvers<string>()
  agent.on('call.preparing', async (call, { turn, budgetMs }) => ({
    context: `${call.from} ${turn} ${budgetMs} ${await facts.promise}`,
  }))
  agent.on('call.preparing', () => ({ metadata: { asked: true } }))
  prepare(2)
  gateway.event('user.message', { text: 'x', messageId: 'msg_1' })
  facts.resolve('gold')
  await settled(2)
  agent.on('error', () => {})
  agent.on('call.preparing', () => {
    throw new Error('broken')
  })
  prepare(3)
  await settled(3)
  assert.deepEqual(gateway.sent('preparing.settled'), [
    { type: 'preparing.settled', call: 'call_1', turn: 1 },
    {
      type: 'preparing.settled',
      call: 'call_1',
      turn: 2,
      set: { context: '+34911234567 2 150 gold', metadata: { asked: true } },
    },
    {
      type: 'preparing.settled',
      call: 'call_1',
      turn: 3,
      set: { context: '+34911234567 3 150 gold', metadata: { asked: true } },
    },
  ])
})

test('close unregisters the agents, waits for running tools and their results, and then closes', async (t) => {
  const done = Promise.withResolvers<string>()
  const slow = tool({ name: 'slow', description: '', run: () => done.promise })
  const { gateway, switchroom } = await registeredAgent(t, { tools: [slow] })
  const toolCalls = [{ id: 'tool_1', name: 'slow', arguments: '{}' }]
  gateway.event('llm.toolCall', { msgId: 'msg_1', toolCalls })
  gateway.event('call.preparing', { call: chatCall, turn: 1, budgetMs: 150 })
  await until('it runs', () => gateway.sent('preparing.settled').length === 1)
  const closing = switchroom.close()
  await until('it unregistered', () => gateway.sent('agent.unregister').length === 1)
  assert.ok(gateway.isConnected)
  done.resolve('at last')
  await closing
  assert.equal(gateway.sent('tool.result')[0]?.result, 'at last')
  await until('the socket is gone', () => !gateway.isConnected)
  assert.equal(gateway.upgrades.length, 1)
})

test('pauses between retries double up to fifteen seconds, with jitter', () => {
  const pauses = Array.from({ length: 50 }, () => {
    const backOff = new BackOff()
    return Array.from({ length: 12 }, () => backOff.nextMs())
  })
  for (const [i, longest] of [200, 400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000].entries()) {
    const those = pauses.map((each) => each[i] ?? 0)
    assert.ok(those.every((pause) => pause >= longest / 2 && pause <= longest))
    assert.ok(new Set(those).size > 10)
  }
  const backOff = new BackOff()
  backOff.nextMs()
  backOff.reset()
  assert.ok(backOff.nextMs() <= 200)
})
