import assert from 'node:assert/strict'
import { test } from 'node:test'
import { key } from '../testing/connected.ts'
import { fakeGateway } from '../testing/fake-gateway.ts'
import { Agent } from './agent.ts'
import { openChat } from './chat.ts'
import { PhoneLine } from './line.ts'
import { connect } from './switchroom.ts'

/** As a program without types would call it. */
// oxlint-disable-next-line typescript/no-explicit-any
const untyped = (value: unknown) => value as any

test('an agent without a name and a line without a number are refused in a sentence', () => {
  const noName = { code: 'NO_NAME', message: "an agent needs a name: new Agent({ name: 'desk' })" }
  for (const options of [{}, undefined, { name: '' }, { name: ' ' }, { name: 7 }, { nmae: 'desk' }])
    assert.throws(() => new Agent(untyped(options)), noName)
  assert.throws(() => new PhoneLine(untyped({})), {
    code: 'NO_NUMBER',
    message: "a line needs a number: new PhoneLine({ number: '+34911111111' })",
  })
})

test('a handler for an event that does not exist is refused with the nearest name', async (t) => {
  const agent = new Agent({ name: 'desk' })
  const refuses = (name: string, message: string | RegExp) =>
    assert.throws(() => agent.on(untyped(name), () => {}), { code: 'UNKNOWN_EVENT', message })
  refuses('user.mesage', 'an agent has no event `user.mesage`: did you mean `user.message`?')
  refuses('call.end', 'an agent has no event `call.end`: did you mean `call.ended`?')
  refuses('User.Message', 'an agent has no event `User.Message`: did you mean `user.message`?')
  refuses('toString', /^an agent has no event `toString`: it has call\.started, /)
  refuses('x'.repeat(100_000), /it has call\.started, /)
  assert.throws(() => agent.off(untyped('user.mesage'), () => {}), { code: 'UNKNOWN_EVENT' })
  assert.throws(() => agent.on('user.message', untyped(undefined)), {
    code: 'BAD_HANDLER',
    message: 'the handler of `user.message` is no function',
  })
  agent.on('user.message', () => {})

  const line = new PhoneLine({ number: '+34911111111' })
  line.on('call.routed', () => {})
  assert.throws(() => line.on(untyped('call.route'), () => {}), {
    message: 'a line has no event `call.route`: did you mean `call.routed`?',
  })
  const { url } = await fakeGateway(t)
  const switchroom = connect({ url, key })
  t.after(() => switchroom.close())
  assert.throws(() => switchroom.on(untyped('disconected'), () => {}), {
    message: 'a connection has no event `disconected`: did you mean `disconnected`?',
  })
  const chat = openChat({ url, key, agent: 'desk' })
  t.after(() => chat.end())
  assert.throws(() => chat.on(untyped('mesage'), () => {}), {
    message: 'a chat has no event `mesage`: did you mean `message`?',
  })
})
