import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectedTo, registeredAgent } from '../testing/connected.ts'
import { fakeGateway, taken } from '../testing/fake-gateway.ts'
import { until } from '../testing/until.ts'
import { Agent } from './agent.ts'
import type { Holders } from './events.ts'
import { PhoneLine } from './line.ts'

const notice = (holders: object[], calls: string) => ({
  type: 'agent.holders',
  agent: 'desk',
  holders,
  calls,
})
const two = [
  { app: 'shop', processes: 1 },
  { app: 'desk', processes: 1 },
]
const alone = [{ app: 'desk', processes: 1 }]

test('hold registers agents exclusively or in turn, again after a reconnect', async (t) => {
  const gateway = await fakeGateway(t)
  const switchroom = connectedTo(t, gateway)
  const [desk, shop] = [new Agent({ name: 'desk' }), new Agent({ name: 'shop' })]
  await switchroom.hold(desk, { exclusive: true })
  await switchroom.hold(shop, new PhoneLine({ number: '+34911111111' }), { balance: true, exclusive: false })
  const held = () =>
    gateway.sent('agent.register').map(({ agent, exclusive, balance }) => [agent, exclusive, balance])
  const expected = [
    ['desk', true, undefined],
    ['shop', undefined, true],
  ]
  assert.deepEqual(held(), expected)
  gateway.frames.length = 0
  gateway.breakAll()
  await until('both are registered again', () => gateway.sent('agent.register').length === 2)
  assert.deepEqual(held(), expected)
})

test('an agent that another app has is asked for until that lets go', async (t) => {
  const gateway = await fakeGateway(t)
  const detail = 'the app shop holds desk exclusively: stop it, or hold another agent'
  gateway.answer = ({ agent }) => ({ type: 'error', agent, code: 'AGENT_HELD', detail })
  const agent = new Agent({ name: 'desk' })
  agent.on('error', () => {})
  await assert.rejects(connectedTo(t, gateway).hold(agent), { code: 'AGENT_HELD', message: detail })
  gateway.answer = taken
  await until('it is held', () => agent.state === 'ready')
})

test('what hold cannot hold is refused in a sentence', async (t) => {
  const gateway = await fakeGateway(t)
  const switchroom = connectedTo(t, gateway)
  const agent = new Agent({ name: 'desk' })
  const untyped = switchroom as unknown as { hold: (...given: unknown[]) => Promise<void> }
  const refuses = (given: unknown[], message: string) =>
    assert.rejects(untyped.hold(...given), { code: 'BAD_OPTION', message })
  await refuses([agent, { exclusiv: true }], 'hold has no option `exclusiv`: did you mean `exclusive`?')
  await refuses([agent, { name: 'x' }], 'hold has no option `name`: it has `exclusive` and `balance`')
  await refuses([agent, { balance: 'yes' }], '`balance` is true or false')
  const takes = 'hold takes agents and lines, and options after them: hold(agent, { exclusive: true })'
  for (const given of [[undefined], ['desk'], [{ exclusive: true }, agent], [agent, null], [[agent]]])
    await refuses(given, takes)
  assert.deepEqual(gateway.frames, [])
})

test('an agent is told as others begin and cease to hold it, once', async (t) => {
  const { gateway, agent } = await registeredAgent(t)
  const told: Holders[] = []
  agent.on('holders', (event) => void told.push(event))
  for (const frame of [
    notice(alone, 'yours'),
    notice(two, 'others'),
    notice(two, 'others'),
    notice(two, 'shared'),
    notice(alone, 'yours'),
  ])
    gateway.send(frame)
  await until('it is told', () => told.length >= 3)
  assert.deepEqual(told, [
    { holders: two, newCalls: 'elsewhere' },
    { holders: two, newCalls: 'in turn' },
    { holders: alone, newCalls: 'here' },
  ])
})

test('without a handler, Node prints who else holds the agent, unless they take turns', async (t) => {
  const { gateway } = await registeredAgent(t)
  const warnings: string[] = []
  const onWarning = ({ message }: Error) => void warnings.push(message)
  process.on('warning', onWarning)
  t.after(() => process.off('warning', onWarning))
  gateway.send(notice(two, 'shared'))
  gateway.send(notice(two, 'others'))
  await until('it is printed', () => warnings.length > 0)
  assert.deepEqual(warnings, [
    'several processes hold desk: shop, desk. New calls go to another one: hold it with `balance` or `exclusive`',
  ])
})
