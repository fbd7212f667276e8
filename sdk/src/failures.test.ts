import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectedTo, registeredAgent } from '../testing/connected.ts'
import { fakeGateway } from '../testing/fake-gateway.ts'
import { until } from '../testing/until.ts'
import { Agent } from './agent.ts'
import { PhoneLine } from './line.ts'
import { tool } from './tool.ts'

/** Values that an author's code may throw and that cannot become a string. */
const wordless: unknown[] = [Object.create(null), Object.assign(new Error('x'), { message: undefined })]

test('a tool or a handler that throws a value that cannot become a string ends nothing', async (t) => {
  for (const thrown of wordless) {
    const odd = tool({ name: 'odd', description: '', run: () => Promise.reject(thrown) })
    const { gateway, agent } = await registeredAgent(t, { tools: [odd] })
    const told: string[] = []
    agent.on('error', ({ code }) => void told.push(code))
    agent.on('user.message', () => Promise.reject(thrown))
    gateway.event('llm.toolCall', {
      msgId: 'msg_1',
      toolCalls: [{ id: 'tool_1', name: 'odd', arguments: '{}' }],
    })
    gateway.event('user.message', { text: 'hello', messageId: 'msg_2' })
    await until('both are reported', () => told.length >= 2)
    assert.deepEqual(told, ['HANDLER_FAILED', 'HANDLER_FAILED'])
    await until('it is answered', () => gateway.sent('tool.result').length >= 1)
    assert.equal(typeof gateway.sent('tool.result')[0].error, 'string')
  }
})

test('a closed connection rejects what waits for the gateway, and later requests too', async (t) => {
  const gateway = await fakeGateway(t)
  gateway.answer = () => undefined
  const switchroom = connectedTo(t, gateway)
  const held = switchroom.hold(new Agent({ name: 'desk' }), new PhoneLine({ number: '+34911111111' }))
  const refused = assert.rejects(held, {
    code: 'CLOSED',
    message: 'the connection was closed by close(): connect again',
  })
  await until('it is asked', () => gateway.sent('line.register').length >= 1)
  await switchroom.close()
  await refused
  await assert.rejects(switchroom.hold(new Agent({ name: 'shop' })), { code: 'CLOSED' })
  assert.equal(gateway.sent('agent.register').length, 1)
})

test('a line that another process has is asked for at one pace, however often the connection breaks (ND-93)', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const gateway = await fakeGateway(t)
  const number = '+34911111111'
  gateway.answer = () => ({ type: 'error', agent: null, number, code: 'LINE_CONFLICT', detail: 'taken' })
  const switchroom = connectedTo(t, gateway)
  const line = new PhoneLine({ number })
  let refusals = 0
  line.on('error', () => (refusals += 1))
  const asked = () => gateway.sent('line.register').length
  const comesTrue = async (isSo: () => boolean) => {
    const deadlineMs = performance.now() + 10_000
    while (!isSo() && performance.now() < deadlineMs) await new Promise(setImmediate)
    assert.ok(isSo())
  }
  const answered = (many: number) => comesTrue(() => refusals === many)
  const turns = async () => {
    for (let i = 0; i < 100; i += 1) await new Promise(setImmediate)
  }
  await assert.rejects(switchroom.hold(line), { code: 'LINE_CONFLICT' })
  for (const [round, pauseMs] of [200, 400, 800, 1600, 3200].entries()) {
    t.mock.timers.tick(pauseMs)
    await answered(round + 2)
  }
  for (const [round, pauseMs] of [200, 400, 800].entries()) {
    gateway.breakAll()
    await comesTrue(() => !switchroom.isConnected)
    await turns()
    t.mock.timers.tick(pauseMs) // as long as a reconnect waits, and shorter than the line does by now
    await answered(round + 7)
  }
  const before = asked()
  for (let second = 0; second < 15; second += 1) {
    t.mock.timers.tick(1000)
    await turns()
  }
  assert.ok(asked() - before <= 2, `${asked() - before} times`)
})

test('what keeps calls from a registered agent comes as an error of the agent, in the words of the gateway', async (t) => {
  const gateway = await fakeGateway(t)
  const warning = 'no spoken call reaches this agent: there is no key for deepgram (stt)'
  gateway.answer = ({ agent }) => ({ type: 'agent.registered', agent, warnings: [warning] })
  const agent = new Agent({ name: 'desk' })
  const told: [string, string][] = []
  agent.on('error', ({ code, message }) => void told.push([code, message]))
  await connectedTo(t, gateway).hold(agent)
  assert.deepEqual([agent.state, told], ['ready', [['PROVIDER_KEY_REQUIRED', warning]]])
})
